/*
 * The short names of global symbols that only the library's own rooms share: see
 * include/dolmen/names.h. A host that includes the public headers keeps these words for itself.
 */
#ifndef LIB_NAMES_H
#define LIB_NAMES_H

#include <dolmen/names.h>

/* lib, shared by all rooms */
#define format_args   dolmen_format_args
#define format_bytes  dolmen_format_bytes
#define format_text   dolmen_format_text
#define heap_sort     dolmen_heap_sort
#define mm_log	      dolmen_mm_log
#define mm_report     dolmen_mm_report
#define report_count  dolmen_report_count
#define report_panics dolmen_report_panics

/* percpu */
#define closed_stack dolmen_closed_stack
#define percpu_alloc dolmen_percpu_alloc
#define percpu_free  dolmen_percpu_free
#define percpu_init  dolmen_percpu_init

/* range, srat */
#define acpi_find	  dolmen_acpi_find
#define acpi_verdict_text dolmen_acpi_verdict_text
#define madt_parse	  dolmen_madt_parse
#define range_assign	  dolmen_range_assign
#define range_normalise	  dolmen_range_normalise
#define slit_distance	  dolmen_slit_distance
#define slit_parse	  dolmen_slit_parse
#define slit_of_matrix	  dolmen_slit_of_matrix
#define srat_cpu_nodes	  dolmen_srat_cpu_nodes
#define srat_parse	  dolmen_srat_parse
#define srat_of_nodes	  dolmen_srat_of_nodes

/* memblock */
#define memblock_alloc	    dolmen_memblock_alloc
#define memblock_end	    dolmen_memblock_end
#define memblock_free_range dolmen_memblock_free_range
#define memblock_init	    dolmen_memblock_init
#define memblock_is_free    dolmen_memblock_is_free
#define memblock_taken	    dolmen_memblock_taken

/* buddy */
#define buddy_add  dolmen_buddy_add
#define buddy_give dolmen_buddy_give
#define buddy_init dolmen_buddy_init
#define buddy_take dolmen_buddy_take
#define node_zones dolmen_node_zones

/* pcp */
#define pcp_drain_all dolmen_pcp_drain_all
#define pcp_give      dolmen_pcp_give
#define pcp_init      dolmen_pcp_init
#define pcp_pages     dolmen_pcp_pages
#define pcp_take      dolmen_pcp_take

/* memmap */
#define memmap_extend	   dolmen_memmap_extend
#define memmap_find_memory dolmen_memmap_find_memory
#define memmap_fits	   dolmen_memmap_fits
#define memmap_init	   dolmen_memmap_init
#define memmap_init_edges  dolmen_memmap_init_edges
#define memmap_init_late   dolmen_memmap_init_late
#define memmap_late_pages  dolmen_memmap_late_pages
#define memmap_pages	   dolmen_memmap_pages
#define nr_sections	   dolmen_nr_sections
#define section_table	   dolmen_section_table

/* page_alloc */
#define numa_free_pages	    dolmen_numa_free_pages
#define page_alloc_add	    dolmen_page_alloc_add
#define page_alloc_drain    dolmen_page_alloc_drain
#define page_alloc_failures dolmen_page_alloc_failures
#define page_alloc_init	    dolmen_page_alloc_init
#define page_alloc_lost	    dolmen_page_alloc_lost
#define page_alloc_managed  dolmen_page_alloc_managed
#define page_reclaim	    dolmen_page_reclaim

/* init, numa */
#define numa_boot_alloc	   dolmen_numa_boot_alloc
#define numa_forget_memory dolmen_numa_forget_memory
#define numa_init	   dolmen_numa_init
#define numa_memory_node   dolmen_numa_memory_node

/* slab */
#define cmpxchg_under_page_lock dolmen_cmpxchg_under_page_lock
#define label_pages		dolmen_label_pages
#define no_cache		dolmen_no_cache
#define partial_alloc_wait	dolmen_partial_alloc_wait
#define slab_choose_geometry	dolmen_slab_choose_geometry
#define slab_discard		dolmen_slab_discard
#define slab_frozen_fast	dolmen_slab_frozen_fast
#define slab_geometry		dolmen_slab_geometry
#define slab_move_window	dolmen_slab_move_window
#define slab_new		dolmen_slab_new
#define slab_object_free	dolmen_slab_object_free
#define slab_reports		dolmen_slab_reports
#define slab_take		dolmen_slab_take
#define slab_take_run		dolmen_slab_take_run
#define slab_window_base	dolmen_slab_window_base
#define unlabel_pages		dolmen_unlabel_pages

/* partial */
#define partial_alloc_node  dolmen_partial_alloc_node
#define partial_alloc_own   dolmen_partial_alloc_own
#define partial_alloc_slow  dolmen_partial_alloc_slow
#define partial_drain_cpu   dolmen_partial_drain_cpu
#define partial_free_run    dolmen_partial_free_run
#define partial_free_slow   dolmen_partial_free_slow
#define partial_shrink_node dolmen_partial_shrink_node
#define partial_take_list   dolmen_partial_take_list
#define partial_take_run    dolmen_partial_take_run
#define partial_unfreeze    dolmen_partial_unfreeze
#define partial_unlock	    dolmen_partial_unlock

/* barn, sheaf */
#define barn_idle	 dolmen_barn_idle
#define barn_init	 dolmen_barn_init
#define barn_objects	 dolmen_barn_objects
#define barn_resize	 dolmen_barn_resize
#define barn_trade	 dolmen_barn_trade
#define barn_trade_among dolmen_barn_trade_among
#define sheaf_alloc	 dolmen_sheaf_alloc
#define sheaf_alloc_node dolmen_sheaf_alloc_node
#define sheaf_caches	 dolmen_sheaf_caches
#define sheaf_drain_all	 dolmen_sheaf_drain_all
#define sheaf_drain_barn dolmen_sheaf_drain_barn
#define sheaf_drain_cpu	 dolmen_sheaf_drain_cpu
#define sheaf_flush	 dolmen_sheaf_flush
#define sheaf_free	 dolmen_sheaf_free
#define sheaf_objects	 dolmen_sheaf_objects
#define sheaf_push_run	 dolmen_sheaf_push_run
#define sheaf_put	 dolmen_sheaf_put
#define sheaf_set_size	 dolmen_sheaf_set_size
#define sheaf_take	 dolmen_sheaf_take

/* cache, kmalloc (private) */
#define cache_free_slow dolmen_cache_free_slow
#define cache_init	dolmen_cache_init
#define cache_knob	dolmen_cache_knob
#define cache_set_knob	dolmen_cache_set_knob
#define cache_visit	dolmen_cache_visit
#define kfree_slow	dolmen_kfree_slow

/* check, stats */
#define cache_stats	dolmen_cache_stats
#define cache_stats_nth dolmen_cache_stats_nth
#define check_init	dolmen_check_init
#define check_reports	dolmen_check_reports
#define kmalloc_init	dolmen_kmalloc_init
#define slab_stat_name	dolmen_slab_stat_name
#define slab_stat_total dolmen_slab_stat_total

#endif
