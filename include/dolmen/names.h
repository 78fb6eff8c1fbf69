/*
 * Every global symbol of the library carries the prefix dolmen_, so that it links beside a kernel
 * that has a kmalloc of its own. Headers and sources say the short name; this list maps those that
 * the public headers declare, lib/names.h the rest. `make check` fails on a global symbol that is
 * in neither. Sorted within its room.
 */
#ifndef DOLMEN_NAMES_H
#define DOLMEN_NAMES_H

/* port */
#define cpu_has_cas16 dolmen_cpu_has_cas16
#define percpu_areas  dolmen_percpu_areas

/* page_alloc */
#define __free_pages	  dolmen___free_pages
#define __get_free_pages  dolmen___get_free_pages
#define alloc_pages	  dolmen_alloc_pages
#define alloc_pages_exact dolmen_alloc_pages_exact
#define alloc_pages_node  dolmen_alloc_pages_node
#define free_pages	  dolmen_free_pages
#define free_pages_exact  dolmen_free_pages_exact
#define page_address	  dolmen_page_address
#define virt_to_page	  dolmen_virt_to_page

/* numa */
#define cpu_to_llc	dolmen_cpu_to_llc
#define cpu_to_mem	dolmen_cpu_to_mem
#define cpu_to_node	dolmen_cpu_to_node
#define numa_distance	dolmen_numa_distance
#define numa_fallback	dolmen_numa_fallback
#define numa_has_memory dolmen_numa_has_memory
#define numa_nr_cpus	dolmen_numa_nr_cpus
#define numa_nr_llcs	dolmen_numa_nr_llcs
#define numa_nr_nodes	dolmen_numa_nr_nodes
#define numa_pxm	dolmen_numa_pxm

/* cache */
#define kmem_cache_alloc      dolmen_kmem_cache_alloc
#define kmem_cache_alloc_node dolmen_kmem_cache_alloc_node
#define kmem_cache_create     dolmen_kmem_cache_create
#define kmem_cache_destroy    dolmen_kmem_cache_destroy
#define kmem_cache_free	      dolmen_kmem_cache_free
#define kmem_cache_shrink     dolmen_kmem_cache_shrink
#define kmem_cache_size	      dolmen_kmem_cache_size

/* kmalloc */
#define kcalloc		     dolmen_kcalloc
#define kfree		     dolmen_kfree
#define kfree_bulk	     dolmen_kfree_bulk
#define kfree_sensitive	     dolmen_kfree_sensitive
#define kmalloc		     dolmen_kmalloc
#define kmalloc_aligned	     dolmen_kmalloc_aligned
#define kmalloc_array	     dolmen_kmalloc_array
#define kmalloc_caches	     dolmen_kmalloc_caches
#define kmalloc_class	     dolmen_kmalloc_class
#define kmalloc_node	     dolmen_kmalloc_node
#define kmalloc_size_roundup dolmen_kmalloc_size_roundup
#define kmalloc_var	     dolmen_kmalloc_var
#define kmemdup		     dolmen_kmemdup
#define krealloc	     dolmen_krealloc
#define ksize		     dolmen_ksize
#define kstrdup		     dolmen_kstrdup
#define kzalloc		     dolmen_kzalloc

/* bulk */
#define kmem_cache_alloc_bulk	    dolmen_kmem_cache_alloc_bulk
#define kmem_cache_alloc_from_sheaf dolmen_kmem_cache_alloc_from_sheaf
#define kmem_cache_free_bulk	    dolmen_kmem_cache_free_bulk
#define kmem_cache_prefill_sheaf    dolmen_kmem_cache_prefill_sheaf
#define kmem_cache_refill_sheaf	    dolmen_kmem_cache_refill_sheaf
#define kmem_cache_return_sheaf	    dolmen_kmem_cache_return_sheaf
#define kmem_cache_sheaf_size	    dolmen_kmem_cache_sheaf_size

#endif
