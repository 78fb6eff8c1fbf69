/*
 * Which Dolmen this is, as semantic versioning counts: see docs/changelog.md for what is promised.
 */
#ifndef DOLMEN_VERSION_H
#define DOLMEN_VERSION_H

#define DOLMEN_VERSION_MAJOR 0
#define DOLMEN_VERSION_MINOR 9
#define DOLMEN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* "0.9.0": of the library as it was compiled, where the numbers above are the header's. */
const char *dolmen_version(void);

#ifdef __cplusplus
}
#endif

#endif
