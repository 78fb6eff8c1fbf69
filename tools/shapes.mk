# The library as other projects take it. Included by the Makefile.
#
# PORT is the folder of the port_arch.h to build for, CFLAGS what that kernel needs besides (-mno-red-zone,
# -mcmodel=kernel). PREFIX and DESTDIR are as everywhere.

PORT ?= arch/hosted/port
PREFIX ?= /usr/local
VERSION := $(subst $() ,.,$(shell sed -n 's/^.define DOLMEN_VERSION_[A-Z]* //p' include/dolmen/version.h))

DOLMEN_BUILD := $B/library
DOLMEN_CFLAGS := -I$(PORT) $(CFLAGS)
include mm/dolmen.mk

$B/library.flags: TEXT := $(CC) $(DOLMEN_CFLAGS)
$(DOLMEN_O): $B/library.flags
$B/libdolmen.a: $(DOLMEN_O)
	$(say) AR $@
	@rm -f $@
	@ar rcs $@ $^

library: $B/libdolmen.a ## build build/libdolmen.a for the port in PORT=FOLDER, with CFLAGS="..."

$B/amalgamation/dolmen.c: tools/amalgamate include/dolmen/version.h LICENSE $(wildcard mm/* lib/*.[ch] include/dolmen/*.h)
	$(say) WRITE $@
	@mkdir -p $(@D)
	@tools/amalgamate $(@D)

amalgamation: $B/amalgamation/dolmen.c ## write the library as two files, build/amalgamation/dolmen.c and dolmen.h

$B/dolmen.pc: include/dolmen/version.h FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: dolmen' 'Description: A slab allocator for x86_64 kernels' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -ldolmen' >$@

install: $B/libdolmen.a $B/dolmen.pc ## install that library, its headers and dolmen.pc in PREFIX=/usr/local, below DESTDIR
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/dolmen
	install -m 644 $B/libdolmen.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 $B/dolmen.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 include/dolmen/*.h $(DESTDIR)$(PREFIX)/include/dolmen

dist: ## write build/dolmen-VERSION.tar.gz from what is committed
	$(say) WRITE $B/dolmen-$(VERSION).tar.gz
	@mkdir -p $B
	@git archive --prefix=dolmen-$(VERSION)/ -o $B/dolmen-$(VERSION).tar.gz HEAD

size: ## text and data of the library by room at -Os, beside their limits
	@tools/size

.PHONY: library amalgamation install dist size
