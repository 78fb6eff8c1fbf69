/*
 * How an allocation may be served. Names and meaning follow Linux; nothing here ever sleeps, so
 * GFP_KERNEL and GFP_ATOMIC differ only in how deep into the reserve they may go: GFP_ATOMIC may
 * take the pages below the zone's minimum watermark, GFP_KERNEL may not.
 */
#ifndef DOLMEN_GFP_H
#define DOLMEN_GFP_H

typedef unsigned gfp_t;

#define GFP_KERNEL     0x00u
#define __GFP_HIGH     0x01u /* may use the reserve below the minimum watermark */
#define GFP_ATOMIC     __GFP_HIGH
#define GFP_DMA32      0x02u /* below 4 GiB only */
#define __GFP_ZERO     0x04u /* zeroed */
#define __GFP_THISNODE 0x08u /* this node or NULL */
#define __GFP_NOWARN   0x10u /* no line on the console when it fails */
#define __GFP_NORETRY  0x20u /* NULL rather than emptying caches for it */
#define GFP_NOWAIT     GFP_KERNEL

#define NUMA_NO_NODE (-1) /* the calling CPU's memory node */

#endif
