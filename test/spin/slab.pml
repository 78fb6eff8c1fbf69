/*
 * The protocol of mm/slab.c and mm/partial.c: freeze, thaw, frees from anywhere, node lists, discard.
 *
 * Two slabs of two objects; two CPUs of the slabs' node, each with one slot, one CPU of another
 * node that only frees, and one that drains a slot; with HANDLER, an interrupt handler on the first
 * CPU instead of the second CPU and the drain. Every read of a pair, every exchange and every
 * change under a lock is one step, as in the code; the ghost variables change in the step of the
 * exchange that they describe.
 *
 * START: 0 all memory free, 1 both slabs partial on the list, 2 both slabs full.
 */
#ifndef START
#define START 0
#endif
#ifndef HANDLER
#define HANDLER 0
#endif
#ifndef MIN_PARTIAL
#define MIN_PARTIAL 0
#endif

#define SLABS	2
#define CPUS	2 /* that allocate */
#define NONE	9
#define BITS	3 /* all objects free */
#define FROZEN	4
#define GEN	8 /* two bits of it */
#define PAIRS	32
#define bits(p)	    ((p) & BITS)
#define full(p)	    (bits(p) == 0)
#define empty(p)    (bits(p) == BITS)
#define frozen(p)   (((p) & FROZEN) != 0)
#define bump(p)	    (((p) + GEN) % PAIRS)

byte pair[SLABS];  /* bits, frozen, generation */
bool alive[SLABS]; /* the page belongs to the cache */
bool out[4];	   /* ghost: object 2s+i is in somebody's hands */
bool slow[CPUS], list_lock;
byte slot[CPUS] = NONE;

/* Ghost: who answers for a slab. */
mtype = {NOBODY, LISTED, HELD, MOVING, GONE};
mtype where[SLABS] = GONE;
bool listed[SLABS]; /* the list itself, under list_lock */
byte nr_listed;

/* A slab that nobody answers for is full; one on the list is not, and is not frozen. */
#define quiet_ok(s)                                                                                \
	(where[s] != NOBODY || (full(pair[s]) && !frozen(pair[s]))) &&                             \
	(where[s] != LISTED || (!full(pair[s]) && !frozen(pair[s]) && listed[s])) &&               \
	(where[s] != HELD || frozen(pair[s]))

inline lock(l) { atomic { !l; l = true } }
inline unlock(l) { l = false }

/* Thaw of a slab that this process froze; ends it if it is empty and the list is long enough. */
inline thaw(s)
{
	done = false;
	do
	:: done -> break
	:: else ->
		was = pair[s];
		if
		:: full(was) ->
			atomic {
				if
				:: pair[s] == was ->
					pair[s] = was & ~FROZEN;
					where[s] = NOBODY;
					done = true
				:: else /* an object came back */
				fi
			}
		:: else ->
			lock(list_lock);
			do
			:: was = pair[s];
			   atomic {
				if
				:: pair[s] == was ->
					pair[s] = was & ~FROZEN;
					if
					:: empty(was) && nr_listed >= MIN_PARTIAL ->
						where[s] = MOVING; ends = true
					:: else ->
						where[s] = LISTED; listed[s] = true;
						nr_listed++; ends = false
					fi;
					break
				:: else
				fi
			   }
			od;
			unlock(list_lock);
			if
			:: ends -> discard(s)
			:: else
			fi;
			done = true
		fi
	od
}

inline discard(s)
{
	atomic {
		assert(empty(pair[s]) && !frozen(pair[s]) && alive[s] && !listed[s]);
		assert(!out[2 * s] && !out[2 * s + 1]);
		alive[s] = false;
		pair[s] = bump(pair[s]) & ~BITS;
		where[s] = GONE
	}
}

/* A frozen slab that nobody holds into this CPU's slot; what was there is thawed. */
inline keep(s)
{
	lock(slow[me]);
	atomic {
		other = slot[me];
		slot[me] = s;
		where[s] = HELD;
		if
		:: other != NONE -> where[other] = MOVING
		:: else
		fi
	}
	unlock(slow[me]);
	if
	:: other != NONE -> thaw(other)
	:: else
	fi
}

/* One object of a frozen slab that this process owns. */
inline take(s)
{
	got = NONE;
	do
	:: old = pair[s];
	   if
	   :: full(old) -> break
	   :: else ->
		atomic {
			if
			:: pair[s] == old ->
				got = 2 * s + ((old & 1) -> 0 : 1);
				pair[s] = bump(old) & ~((old & 1) -> 1 : 2);
				assert(alive[s] && frozen(old) && !out[got]);
				out[got] = true;
				break
			:: else
			fi
		}
	   fi
	od
}

inline allocate()
{
	lock(slow[me]);
	slab = slot[me];
	got = NONE;
	do
	:: slab == NONE -> break
	:: else ->
		take(slab);
		if
		:: got != NONE -> break
		:: else ->
			old = pair[slab];
			atomic {
				if
				:: full(old) && pair[slab] == old ->
					pair[slab] = old & ~FROZEN;
					where[slab] = NOBODY;
					slot[me] = NONE;
					slab = NONE
				:: else /* an object came back: take it */
				fi
			}
		fi
	od;
	if
	:: got == NONE -> /* refill from the list */
		lock(list_lock);
		if
		:: listed[0] -> slab = 0
		:: listed[1] -> slab = 1
		:: !listed[0] && !listed[1] -> slab = NONE
		fi;
		if
		:: slab != NONE ->
			atomic { listed[slab] = false; nr_listed--; where[slab] = MOVING };
			do
			:: old = pair[slab];
			   atomic {
				if
				:: pair[slab] == old -> pair[slab] = old | FROZEN; break
				:: else
				fi
			   }
			od;
			atomic { slot[me] = slab; where[slab] = HELD }
		:: else
		fi;
		unlock(list_lock);
		if
		:: slab != NONE -> take(slab); assert(got != NONE)
		:: else
		fi
	:: else
	fi;
	unlock(slow[me]);
	if
	:: got == NONE -> /* a new slab, or no memory */
		atomic {
			if
			:: !alive[0] -> slab = 0
			:: alive[0] && !alive[1] -> slab = 1
			:: alive[0] && alive[1] -> slab = NONE
			fi;
			if
			:: slab != NONE ->
				alive[slab] = true;
				pair[slab] = (bump(pair[slab]) & ~BITS) | BITS | FROZEN;
				where[slab] = MOVING
			:: else
			fi
		}
		if
		:: slab != NONE -> take(slab); assert(got != NONE); keep(slab)
		:: else
		fi
	:: else
	fi
}

/* `object` is in this process' hands alone. */
inline release(object, own_node)
{
	slab = object / 2;
	locked = false;
	do
	:: old = pair[slab];
	   next = old | (1 << (object % 2));
	   assert(alive[slab] && next != old);
	   if
	   :: !frozen(old) && !locked && ((full(old) && !own_node) || empty(next)) &&
		!(full(old) && own_node) ->
		lock(list_lock);
		locked = true
	   :: else ->
		if
		:: !frozen(old) && full(old) && own_node -> next = next | FROZEN
		:: else
		fi;
		atomic {
			if
			:: pair[slab] == old ->
				pair[slab] = next;
				if
				:: !frozen(old) && frozen(next) -> where[slab] = MOVING
				:: !frozen(old) && full(old) && !frozen(next) ->
					listed[slab] = true; nr_listed++; where[slab] = LISTED
				:: else
				fi;
				break
			:: else
			fi
		}
	   fi
	od;
	give = false;
	if
	:: locked ->
		if
		:: !frozen(old) && !frozen(next) && empty(next) && listed[slab] &&
			nr_listed > MIN_PARTIAL ->
			atomic {
				listed[slab] = false; nr_listed--; where[slab] = MOVING; give = true
			}
		:: else
		fi;
		unlock(list_lock)
	:: else
	fi;
	if
	:: frozen(next) && !frozen(old) -> keep(slab)
	:: else
	fi;
	if
	:: give -> discard(slab)
	:: else
	fi
}

/* Somebody's object becomes this process' to free. */
inline pick()
{
	atomic {
		if
		:: out[0] -> object = 0; out[0] = false
		:: out[1] -> object = 1; out[1] = false
		:: out[2] -> object = 2; out[2] = false
		:: out[3] -> object = 3; out[3] = false
		:: !out[0] && !out[1] && !out[2] && !out[3] -> object = NONE
		fi
	}
}

/* A CPU without a slot is one of another node. */
proctype cpu(byte me; byte ops)
{
	byte old, was, next, slab, other, got, object;
	bool done, ends, give, locked;

	do
	:: ops == 0 -> break
	:: ops > 0 && me < CPUS -> allocate(); ops--
	:: ops > 0 ->
		pick();
		if
		:: object != NONE -> release(object, me < CPUS)
		:: else
		fi;
		ops--
	od
}

proctype drainer()
{
	byte was, other, target;
	bool done, ends;

	if
	:: target = 0
	:: target = 1
	fi;
	lock(slow[target]);
	atomic {
		other = slot[target];
		slot[target] = NONE;
		if
		:: other != NONE -> where[other] = MOVING
		:: else
		fi
	}
	unlock(slow[target]);
	if
	:: other != NONE -> thaw(other)
	:: else
	fi
}

init
{
	atomic {
#if START != 0
		alive[0] = true;
		alive[1] = true;
#endif
#if START == 1
		pair[0] = 1; out[1] = true; where[0] = LISTED; listed[0] = true;
		pair[1] = 2; out[2] = true; where[1] = LISTED; listed[1] = true;
		nr_listed = 2;
#elif START == 2
		out[0] = true; out[1] = true; out[2] = true; out[3] = true;
		where[0] = NOBODY;
		where[1] = NOBODY;
#endif
		run cpu(0, 2);
		run cpu(CPUS, 1);
#if HANDLER
		run cpu(0, 1);
#else
		run cpu(1, 1);
		run drainer();
#endif
	}
	_nr_pr == 1;
	/* Quiet: every object is in somebody's hands or free, every slab has one place. */
	assert(!slow[0] && !slow[1] && !list_lock);
	byte s;
	for (s : 0 .. SLABS - 1) {
		assert(alive[s] == (where[s] != GONE));
		assert(where[s] != MOVING);
		assert(where[s] == GONE || ((pair[s] & 1) != 0) != out[2 * s]);
		assert(where[s] == GONE || ((pair[s] & 2) != 0) != out[2 * s + 1]);
		assert(quiet_ok(s));
		assert((slot[0] == s || slot[1] == s) == (where[s] == HELD));
		assert(listed[s] == (where[s] == LISTED));
	}
	assert(nr_listed == listed[0] + listed[1]);
	assert(slot[0] == NONE || slot[0] != slot[1])
}
