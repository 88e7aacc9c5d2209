"""The one answer to what a pass lost, where, and what would win it back, for car and paddock.

How to ask, in this order (metres, seconds, m/s; all but the cutter are pure functions):

    lap = fastest_of_first(flying)             the lap that the road is cut by: best of the first three
    road = road_of(track, lap)                 `Road`: named segments that tile the lap, one slow place each
    cutter = PassCutter(road, length_m)        feed(t, place_m, speed_mps, lap, throttle, brake) each place
                                               "on" the track, interrupt() at others -> `RoadPass`es
    passes = passes_of(road, lap)              the same of a stored lap: another day's, a friend's
    passes = counted(passes, laps)             `counts` alone decides what is evidence
    best = best_of(passes of one segment)
    evidence = [evidence_of(road, each, best)]  `PassEvidence` of each of the others, oldest first
    advice(road, evidence, segment, best)      the car: the last three vote -> `Diagnosis`|None
    explain(road, evidence, segment, best)     the paddock: any number -> `Diagnosis` | None
    theoretical_best_s(passes, lap, lap_s)     a lap less what its passes lose to the best

A `Diagnosis` is `corner, phase, action, amount, seconds, loss_s, laps` (that show it) of `of`,
`sure`, `best_lap`. A given reference takes the place of the best: pass its `RoadPass` as `best`.
Unnamed segments have corner "".
"""
