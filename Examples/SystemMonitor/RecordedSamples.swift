/// The contents of ``Recording/embedded()``: ten samples of `/proc`, one second apart, of a machine with two
/// cores on which Swift code is compiled. They are reduced to some twenty processes, and every `stat` to
/// the fields that are read; the others are 0.
let recordedSamples = """
  stat:cpu0 2682294 793 148714 1748650 8175 0 257 1437
  stat:cpu1 2931332 977 167400 1465461 22132 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 24061572 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.77 1.98 3.05 7/111 14489
  1/stat:1 (init) S 0 0 0 0 0 0 0 0 0 0 2040 11680 0 0 0 0 0 0 24
  1/status:VmRSS: 11416 kB
  2/stat:2 (kthreadd) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 24
  14/stat:14 (ksoftirqd/0) S 0 0 0 0 0 0 0 0 0 0 9 320 0 0 0 0 0 0 24
  15/stat:15 (rcu_preempt) I 0 0 0 0 0 0 0 0 0 0 0 3604 0 0 0 0 0 0 24
  18/stat:18 (migration/0) S 0 0 0 0 0 0 0 0 0 0 0 47 0 0 0 0 0 0 24
  22/stat:22 (ksoftirqd/1) S 0 0 0 0 0 0 0 0 0 0 2 401 0 0 0 0 0 0 24
  31/stat:31 (khungtaskd) S 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 26
  36/stat:36 (kcompactd0) S 0 0 0 0 0 0 0 0 0 0 0 157 0 0 0 0 0 0 26
  44/stat:44 (kworker/1:1H-kblockd) I 0 0 0 0 0 0 0 0 0 0 0 1786 0 0 0 0 0 0 36
  45/stat:45 (kswapd0) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 38
  14348/stat:14348 (swift-build) S 0 0 0 0 0 0 0 0 0 0 25 11 0 0 0 0 0 0 4599738
  14348/status:VmRSS: 122896 kB
  14372/stat:14372 (swiftc) S 0 0 0 0 0 0 0 0 0 0 3 2 0 0 0 0 0 0 4599808
  14372/status:VmRSS: 83856 kB
  14378/stat:14378 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 36 5 0 0 0 0 0 0 4599813
  14378/status:VmRSS: 159624 kB
  14439/stat:14439 (python3) R 0 0 0 0 0 0 0 0 0 0 2 2 0 0 0 0 0 0 4599868
  14439/status:VmRSS: 14372 kB
  14482/stat:14482 (sh) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599892
  14482/status:VmRSS: 1708 kB
  14485/stat:14485 (gzip) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599892
  14485/status:VmRSS: 1560 kB
  14486/stat:14486 (wc) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599892
  14486/status:VmRSS: 1756 kB
  14488/stat:14488 (awk) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599893
  14488/status:VmRSS: 2188 kB
  14490/stat:14490 (sh) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599893
  14490/status:VmRSS: 1652 kB
  15683/stat:15683 (bash) S 0 0 0 0 0 0 0 0 0 0 2 3 0 0 0 0 0 0 4374656
  15683/status:VmRSS: 4108 kB

  stat:cpu0 2682344 793 148715 1748698 8175 0 257 1437
  stat:cpu1 2931429 977 167403 1465461 22132 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 24052332 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.77 1.98 3.05 3/112 14505
  14372/stat:14372 (swiftc) S 0 0 0 0 0 0 0 0 0 0 4 2 0 0 0 0 0 0 4599808
  14378/stat:14378 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 115 7 0 0 0 0 0 0 4599813
  14378/status:VmRSS: 174020 kB
  14439/status:VmRSS: 14532 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 29 0 0 0 0 0 0 0 4599892
  14485/status:VmRSS: 1828 kB
  14486/status:VmRSS: 1764 kB
  14490/stat:14490 (sleep) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4599893
  14490/status:VmRSS: 1800 kB
  14488/stat:

  stat:cpu0 2682387 793 148716 1748755 8175 0 257 1437
  stat:cpu1 2931515 977 167408 1465471 22132 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23984020 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.77 1.98 3.05 2/113 14517
  1/stat:1 (init) S 0 0 0 0 0 0 0 0 0 0 2040 11681 0 0 0 0 0 0 24
  14378/stat:14378 (swift-frontend) S 0 0 0 0 0 0 0 0 0 0 207 12 0 0 0 0 0 0 4599813
  14378/status:VmRSS: 269944 kB
  14439/stat:14439 (python3) R 0 0 0 0 0 0 0 0 0 0 2 3 0 0 0 0 0 0 4599868
  14439/status:VmRSS: 14680 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 59 0 0 0 0 0 0 0 4599892

  stat:cpu0 2682482 793 148722 1748755 8175 0 257 1437
  stat:cpu1 2931550 977 167409 1465535 22132 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23982080 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.77 1.98 3.05 4/114 14521
  1/stat:1 (init) S 0 0 0 0 0 0 0 0 0 0 2041 11681 0 0 0 0 0 0 24
  36/stat:36 (kcompactd0) S 0 0 0 0 0 0 0 0 0 0 0 158 0 0 0 0 0 0 26
  14378/stat:14378 (swift-frontend) S 0 0 0 0 0 0 0 0 0 0 302 18 0 0 0 0 0 0 4599813
  14378/status:VmRSS: 314996 kB
  14439/stat:14439 (python3) R 0 0 0 0 0 0 0 0 0 0 3 3 0 0 0 0 0 0 4599868
  14439/status:VmRSS: 14832 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 88 0 0 0 0 0 0 0 4599892

  stat:cpu0 2682577 793 148727 1748756 8175 0 257 1437
  stat:cpu1 2931647 977 167412 1465535 22132 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23935660 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.87 1.98 3.05 5/117 14532
  14348/status:VmRSS: 122828 kB
  14378/stat:14378 (swift-frontend) S 0 0 0 0 0 0 0 0 0 0 388 22 0 0 0 0 0 0 4599813
  14378/status:VmRSS: 344976 kB
  14439/status:VmRSS: 15000 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 103 1 0 0 0 0 0 0 4599892
  14522/stat:14522 (seq) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4600196
  14522/status:VmRSS: 1768 kB
  14525/stat:14525 (sort) R 0 0 0 0 0 0 0 0 0 0 86 0 0 0 0 0 0 0 4600196
  14525/status:VmRSS: 8488 kB

  stat:cpu0 2682677 793 148727 1748756 8175 0 257 1437
  stat:cpu1 2931740 977 167418 1465535 22133 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23996876 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.87 1.98 3.05 7/117 14544
  15/stat:15 (rcu_preempt) I 0 0 0 0 0 0 0 0 0 0 0 3605 0 0 0 0 0 0 24
  14348/status:VmRSS: 122868 kB
  14372/stat:14372 (swiftc) R 0 0 0 0 0 0 0 0 0 0 5 2 0 0 0 0 0 0 4599808
  14372/status:VmRSS: 84924 kB
  14439/status:VmRSS: 15152 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 118 1 0 0 0 0 0 0 4599892
  14525/stat:14525 (sort) R 0 0 0 0 0 0 0 0 0 0 177 0 0 0 0 0 0 0 4600196
  14539/stat:14539 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4600395
  14539/status:VmRSS: 11764 kB
  14542/stat:14542 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4600396
  14542/status:VmRSS: 15732 kB
  14378/stat:

  stat:cpu0 2682777 793 148729 1748756 8175 0 257 1437
  stat:cpu1 2931834 977 167426 1465535 22133 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23982860 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.87 1.98 3.05 8/120 14557
  1/stat:1 (init) S 0 0 0 0 0 0 0 0 0 0 2041 11682 0 0 0 0 0 0 24
  14348/stat:14348 (swift-build) S 0 0 0 0 0 0 0 0 0 0 26 11 0 0 0 0 0 0 4599738
  14348/status:VmRSS: 122872 kB
  14372/stat:14372 (swiftc) S 0 0 0 0 0 0 0 0 0 0 6 2 0 0 0 0 0 0 4599808
  14372/status:VmRSS: 85232 kB
  14439/status:VmRSS: 15324 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 149 1 0 0 0 0 0 0 4599892
  14525/stat:14525 (sort) R 0 0 0 0 0 0 0 0 0 0 255 0 0 0 0 0 0 0 4600196
  14539/stat:14539 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 34 4 0 0 0 0 0 0 4600395
  14539/status:VmRSS: 132368 kB
  14542/stat:14542 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 40 4 0 0 0 0 0 0 4600396
  14542/status:VmRSS: 158024 kB
  14553/stat:14553 (awk) R 0 0 0 0 0 0 0 0 0 0 4 0 0 0 0 0 0 0 4600489
  14553/status:VmRSS: 2252 kB

  stat:cpu0 2682875 793 148732 1748756 8175 0 257 1437
  stat:cpu1 2931929 977 167430 1465536 22133 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23979480 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.87 1.98 3.05 3/114 14577
  14439/stat:14439 (python3) R 0 0 0 0 0 0 0 0 0 0 4 4 0 0 0 0 0 0 4599868
  14439/status:VmRSS: 15488 kB
  14485/stat:14485 (gzip) S 0 0 0 0 0 0 0 0 0 0 178 1 0 0 0 0 0 0 4599892
  14539/stat:14539 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 82 7 0 0 0 0 0 0 4600395
  14539/status:VmRSS: 172076 kB
  14542/stat:14542 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 94 7 0 0 0 0 0 0 4600396
  14542/status:VmRSS: 171792 kB
  14522/stat:
  14525/stat:
  14553/stat:

  stat:cpu0 2682972 793 148735 1748756 8175 0 257 1437
  stat:cpu1 2932023 977 167437 1465537 22133 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 23975936 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:0.87 1.98 3.05 4/114 14600
  14372/stat:14372 (swiftc) S 0 0 0 0 0 0 0 0 0 0 7 2 0 0 0 0 0 0 4599808
  14372/status:VmRSS: 86764 kB
  14439/status:VmRSS: 15636 kB
  14485/stat:14485 (gzip) R 0 0 0 0 0 0 0 0 0 0 204 1 0 0 0 0 0 0 4599892
  14539/stat:14539 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 170 9 0 0 0 0 0 0 4600395
  14539/status:VmRSS: 179648 kB
  14579/stat:14579 (swift-frontend) R 0 0 0 0 0 0 0 0 0 0 66 5 0 0 0 0 0 0 4600602
  14579/status:VmRSS: 198208 kB
  14596/stat:14596 (seq) S 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 4600672
  14596/status:VmRSS: 1768 kB
  14542/stat:

  stat:cpu0 2683057 793 148745 1748763 8176 0 257 1437
  stat:cpu1 2932100 977 167446 1465551 22133 0 3257 1455
  meminfo:MemTotal: 24684084 kB
  meminfo:MemAvailable: 24035704 kB
  meminfo:SwapTotal: 0 kB
  meminfo:SwapFree: 0 kB
  loadavg:1.04 1.99 3.04 5/114 14639
  1/stat:1 (init) S 0 0 0 0 0 0 0 0 0 0 2041 11683 0 0 0 0 0 0 24
  15/stat:15 (rcu_preempt) I 0 0 0 0 0 0 0 0 0 0 0 3606 0 0 0 0 0 0 24
  14348/stat:14348 (swift-build) S 0 0 0 0 0 0 0 0 0 0 27 12 0 0 0 0 0 0 4599738
  14348/status:VmRSS: 122940 kB
  14439/status:VmRSS: 15792 kB
  14485/stat:14485 (gzip) R 0 0 0 0 0 0 0 0 0 0 212 2 0 0 0 0 0 0 4599892
  14372/stat:
  14539/stat:
  14579/stat:
  14596/stat:
  """
