"""The memory policy of the tape: which arrays it keeps, and which may be overwritten.

1. A tape keeps what is read later. In `grad` only the pullbacks read, and rows hold placeholders for all other large
   arrays, recorded ones and constants (`released_arrays`).
2. An array of the program's own must not change before the sweep. A small one is copied when it is read
   (`stored_operands`); a large one is read-only until the run ends (`read_only_operands`), together with its views
   (`reachable_views`).
3. An array that nothing else refers to may be overwritten (`reference_counts`): a cotangent by the sweep, a recorded
   array by the program's own write into it, a new plain array by the run. All others are copied first. References are
   counted, not marked, because the program's names refer to recorded arrays too, and no mark would see them.
4. Memory is released when the last reference is gone: that of a cotangent when its row has been swept, that of the rows
   when the tape is closed. The process retains it for the next gradient (`tape.memory_reserve`).
"""
