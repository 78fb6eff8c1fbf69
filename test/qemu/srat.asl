/*
 * The data of an SRAT for a guest of 4 CPUs and 1 GiB: domain 3 has CPUs 0 and 1 and the first half, domain 7 the rest.
 * test/qemu/tables compiles it with iasl and makes the broken ones of it.
 */
[0004] Signature : "SRAT"
[0004] Table Length : 00000000
[0001] Revision : 03
[0001] Checksum : 00
[0006] Oem ID : "DOLMEN"
[0008] Oem Table ID : "TESTSRAT"
[0004] Oem Revision : 00000001
[0004] Asl Compiler ID : "INTL"
[0004] Asl Compiler Revision : 00000000
[0004] Table Revision : 00000001
[0008] Reserved : 0000000000000000

[0001] Subtable Type : 00
[0001] Length : 10
[0001] Proximity Domain Low(8) : 03
[0001] Apic ID : 00
[0004] Flags (decoded below) : 00000001
Enabled : 1
[0001] Local Sapic EID : 00
[0003] Proximity Domain High(24) : 000000
[0004] Clock Domain : 00000000

[0001] Subtable Type : 00
[0001] Length : 10
[0001] Proximity Domain Low(8) : 03
[0001] Apic ID : 01
[0004] Flags (decoded below) : 00000001
Enabled : 1
[0001] Local Sapic EID : 00
[0003] Proximity Domain High(24) : 000000
[0004] Clock Domain : 00000000

[0001] Subtable Type : 02
[0001] Length : 18
[0002] Reserved1 : 0000
[0004] Proximity Domain : 00000007
[0004] Apic ID : 00000002
[0004] Flags (decoded below) : 00000001
Enabled : 1
[0004] Clock Domain : 00000000
[0004] Reserved2 : 00000000

[0001] Subtable Type : 02
[0001] Length : 18
[0002] Reserved1 : 0000
[0004] Proximity Domain : 00000007
[0004] Apic ID : 00000003
[0004] Flags (decoded below) : 00000001
Enabled : 1
[0004] Clock Domain : 00000000
[0004] Reserved2 : 00000000

[0001] Subtable Type : 01
[0001] Length : 28
[0004] Proximity Domain : 00000003
[0002] Reserved1 : 0000
[0008] Base Address : 0000000000000000
[0008] Address Length : 0000000020000000
[0004] Reserved2 : 00000000
[0004] Flags (decoded below) : 00000001
Enabled : 1
Hot Pluggable : 0
Non-Volatile : 0
[0008] Reserved3 : 0000000000000000

[0001] Subtable Type : 01
[0001] Length : 28
[0004] Proximity Domain : 00000007
[0002] Reserved1 : 0000
[0008] Base Address : 0000000020000000
[0008] Address Length : 0000000020000000
[0004] Reserved2 : 00000000
[0004] Flags (decoded below) : 00000001
Enabled : 1
Hot Pluggable : 0
Non-Volatile : 0
[0008] Reserved3 : 0000000000000000
