"""Sentences as models write them, of the M3's session at Sonoma: true ones, lies, and advice."""

from __future__ import annotations

TRUE = """
Your best lap was lap 6, a 1:49.098.
Lap 6 was your fastest lap at 1:49.1.
You did a 1:51.937 in lap 5.
Lap 5 was a 1:51.9 and lap 6 a 1:49.1.
Lap 7 was the slowest, a 1:55.112.
Your slowest lap was lap 7.
Lap 8 was 3.15 s slower than lap 6.
Lap 6 was 3.15 s faster than lap 8.
Lap 5 was 2.839 s slower than lap 6.
Lap 6 was about three seconds quicker than lap 8.
Compared with lap 6, lap 7 was 6.01 s slower.
Turn 7 took you 7.35 s in lap 6.
Your best pass of Turn 7 was lap 6 with 7.35 s.
In Turn 7 you lost 2.15 s in lap 7.
In lap 7 you lost 2.15 s at Turn 7.
You lost just over two seconds at turn seven in lap 7, 2.15 s to be exact.
Turn 7 in lap 7: 8.58 s, 84 km/h in, 56 km/h at the slowest point and 110 km/h out.
At turn 7 your slowest speed was 76 km/h in lap 6.
In lap 6 you carried 76 km/h through Turn 7, in lap 7 only 56 km/h.
You were 20 km/h slower in lap 7 than in lap 6 at Turn 7.
Turn 7 was 1.22 s slower in lap 7 than in lap 6.
In lap 5 you braked with 75 bar at Turn 7.
The hardest brake at Turn 7 was 63 bar in lap 6.
Turn 11 took 5.75 s in lap 6 and 6.08 s in lap 8.
Your best pass of Turn 11 was in lap 6, 5.75 s.
In Turn 11 you lost 0.76 s in lap 8 and 0.52 s in lap 7.
The Carousel costs you 0.43 s a lap in laps 4, 5 and 8.
In the Carousel you roll 0.4 s longer in laps 4, 5 and 8.
Against lap 6 you roll 0.4 s longer into the Carousel.
You turned in 14 km/h slower at Turn 10.
Turn 11 was 0.33 s slower in lap 8 than in lap 6.
T11 cost 1.05 s in lap 2.
In lap 2, Turn 11 cost you 1.05 s.
You lost 0.99 s in Turn 1 in lap 2 and 0.78 s in lap 3.
Turn 1 took 6.68 s in lap 6.
Turn 1 was 0.9 s quicker in lap 6 than in lap 2.
Your minimum speed in Turn 1 was 131 km/h in lap 6.
Turn 4 took 4.37 s in lap 6 and 4.38 s in lap 2.
Turn 4 in lap 3 was 0.10 s slower than in lap 6.
You gained 0.05 s at Turn 4 in lap 8.
In lap 8 you won 0.05 s in Turn 4.
Turn 10 costs 0.37 s a lap in laps 4, 5 and 8.
You were 10 km/h slower at the slowest point of Turn 10.
You turned into Turn 10 14 km/h slower.
Turn 7 cost you 0.52 s in lap 8.
You lost half a second at Turn 7 in lap 8.
Sector 1 took 38.09 s in lap 6.
Your best first sector was 38.09 s, lap 6.
Sector 2 was 32.12 s in lap 6 and 35.51 s in lap 7.
Sector 3 in lap 6 was 38.89 s.
From lap 2 to lap 6 you found 5.1 s.
You found 5.1 seconds from lap 2 to lap 6.
Turn 1 came good: it had cost you 0.88 s a lap.
The fault at Turn 4 had cost 0.25 s a lap.
You used 63 bar in lap 6 at Turn 7, and 62 bar in lap 8.
In lap 6 you left Turn 7 with 111 km/h.
You came out of Turn 11 at 95 km/h in lap 6 and at 90 km/h in lap 8.
Lap 8 was 6 km/h slower out of Turn 11 than lap 6.
You entered Turn 1 at 175 km/h in lap 6.
Lap two was a 1:54.213.
Laps 2 and 3 were 1:54.2 and 1:54.5.
Your seven flying laps lie within 6.01 s.
The most lost at one place was 2.2 s at Turn 7 in lap 7.
The largest loss was Turn 7 in lap 7, 2.2 s slower than in lap 6.
Lap 4 was a 1:52.864 and lap 8 a 1:52.251.
Lap 8 was 0.61 s faster than lap 4.
Lap 4 was 0.61 s slower than lap 8.
Lap 3 was 0.3 s slower than lap 2.
Lap 2 was 0.3 s faster than lap 3.
You lost 1.00 s at Turn 7 in lap 3.
A second went missing at Turn 7 in lap 3: you lost 1.00 s there.
Turn 11 took 5.91 s in lap 2, 5.93 s in lap 3 and 5.86 s in lap 4.
Turn seven in lap four: 7.43 s.
In lap four you lost 0.35 s at turn seven.
Your entry to Turn 7 was 100 km/h in lap 6 and 84 km/h in lap 7.
You were 16 km/h slower into Turn 7 in lap 7 than in lap 6.
You were 62 mph into Turn 7 in lap 6.
The slowest point of Turn 11 was 59 km/h in lap 6.
Turn 11: 5.75 s in lap 6.
Lap 6: 1:49.098. Lap 5: 1:51.937.
You did one minute forty-nine point one in lap 6.
Lap six was three point one five seconds faster than lap eight.
You lost two tenths at Turn 11 in lap 4.
Turn 4 was clean in lap 7 and lost you 0.08 s.
In laps 4, 5 and 8 you over-slowed in the Carousel and lost 0.43 s a lap.
Turn 7 is where lap 7 went: 2.15 s lost, with 56 km/h at the slowest point.
You drove Turn 1 with 132 km/h at its slowest in lap 7.
You drove it well.
There is nothing to add.
Lap 6 was clean.
Your pace came back in lap 8.
It was a good session with seven flying laps.
Turn 7 is your largest loss.
You are quick through the Carousel.
Turn 10 needs work, it costs 0.37 s a lap.
Lap 7 is 6.0 s behind lap 6.
Lap 6 is 6.0 s ahead of lap 7.
Your best was 1:49.098.
Your best lap is a 1:49.1, and lap 8 was 3.2 s slower than lap 6.
The theoretical best is 1:49.098, which lap 6 holds.
""".strip().splitlines()

LIES = """
Your best lap was lap 5, a 1:51.937.
Your best lap was lap 5.
Lap 5 was your fastest.
Lap 8 was the fastest lap.
Your slowest lap was lap 6.
Your best lap was a 1:48.500.
Lap 6 was a 1:51.937.
Lap 5 was a 1:49.098.
Lap 5 was a 1:49.1 and lap 6 a 1:51.9.
You did a 1:54.548 in lap 2.
Lap 7 was a 1:52.251.
Lap two was a 1:52.864.
Lap 8 was 3.15 s faster than lap 6.
Lap 6 was 3.15 s slower than lap 8.
Lap 5 was 2.839 s faster than lap 6.
Lap 8 was 4.15 s slower than lap 6.
Lap 4 was 3.15 s slower than lap 6.
Lap six was three point one five seconds slower than lap eight.
Lap six was two point five seconds faster than lap eight.
Lap 8 was 0.61 s slower than lap 4.
Lap 3 was 0.3 s faster than lap 2.
Compared with lap 6, lap 7 was 6.01 s faster.
Turn 7 took you 7.35 s in lap 7.
Turn 7 took you 5.75 s in lap 6.
Turn 11 took you 7.35 s in lap 6.
Your best pass of Turn 7 was lap 9 with 7.35 s.
Your best pass of Turn 7 was lap 5 with 7.57 s.
Your best pass of Turn 11 was lap 8.
Your best pass of Turn 11 was lap 5 with 5.75 s.
In Turn 7 you lost 2.15 s in lap 8.
In Turn 7 you gained 2.15 s in lap 7.
In Turn 11 you lost 2.15 s in lap 7.
In lap 5 you lost 2.15 s at Turn 7.
You lost 3.99 s at Turn 7 in lap 7.
You lost nearly four seconds at Turn 7 in lap 7, 3.99 s.
You were doing 222 km/h into Turn 7.
You were 222 mph fast in Turn 1.
At Turn 7 your slowest speed was 56 km/h in lap 6.
In lap 6 you carried 56 km/h through Turn 7, in lap 7 only 76 km/h.
You were 20 km/h faster in lap 7 than in lap 6 at Turn 7.
You were 35 km/h slower in lap 7 than in lap 6 at Turn 7.
Turn 7 was 1.22 s faster in lap 7 than in lap 6.
In lap 5 you braked with 33 bar at Turn 7.
In lap 7 you braked with 75 bar at Turn 7.
The hardest brake at Turn 11 was 75 bar in lap 5.
Turn 11 took 6.08 s in lap 6 and 5.75 s in lap 8.
In Turn 11 you lost 0.76 s in lap 7 and 0.52 s in lap 8.
Turn 10 costs you 0.37 s a lap in laps 2 and 3.
The Carousel costs you 0.37 s a lap in laps 4, 5 and 8.
The Carousel won you 0.43 s a lap.
In the Carousel you roll 0.4 s less in laps 4, 5 and 8.
Against lap 6 you brake 13 m later into Turn 11.
Against lap 6 you brake 31 m earlier into Turn 11.
At Turn 4 you brake 13 m earlier.
You turned in 14 km/h faster at Turn 10.
You turned in 14 mph slower at Turn 10.
Turn 11 was 0.33 s faster in lap 8 than in lap 6.
T11 cost 1.05 s in lap 4.
In lap 2, Turn 4 cost you 1.05 s.
You lost 0.78 s in Turn 1 in lap 2 and 0.99 s in lap 3.
Turn 1 took 7.53 s in lap 6.
Turn 1 was 0.85 s slower in lap 6 than in lap 2.
Your minimum speed in Turn 1 was 117 km/h in lap 6.
Turn 4 took 4.37 s in lap 3.
Turn 4 in lap 3 was 0.10 s faster than in lap 6.
You lost 0.05 s at Turn 4 in lap 8.
In lap 8 you won 0.33 s in Turn 4.
Turn 10 gained you 0.37 s a lap in laps 4, 5 and 8.
You were 10 km/h faster at the slowest point of Turn 10.
You were 10 mph slower at the slowest point of Turn 10.
You turned into Turn 10 14 km/h faster.
Turn 7 cost you 0.52 s in lap 3.
You lost half a second at Turn 7 in lap 6.
You lost seven tenths at Turn 7 in lap 4.
Sector 1 took 39.66 s in lap 6.
Sector 2 was 35.51 s in lap 6 and 32.12 s in lap 7.
Sector 3 in lap 6 was 40.70 s.
Sector 3 took 38.09 s in lap 8.
From lap 2 to lap 6 you lost 5.1 s.
From lap 2 to lap 6 you found 7.4 s.
You found 5.1 seconds from lap 4 to lap 5.
Turn 1 came good: it had cost you 1.88 s a lap.
The fault at Turn 4 had cost 0.88 s a lap.
You used 33 bar in lap 6 at Turn 7.
In lap 6 you left Turn 7 with 95 km/h.
You came out of Turn 11 at 90 km/h in lap 6 and at 95 km/h in lap 8.
Lap 8 was 6 km/h faster out of Turn 11 than lap 6.
You entered Turn 1 at 154 km/h in lap 6.
You entered Turn 4 at 175 km/h in lap 6.
Your flying laps lie within 0.25 s.
The most lost at one place was 2.2 s at Turn 11 in lap 7.
The largest loss was Turn 7 in lap 3, 2.2 s slower than in lap 6.
Turn seven in lap four: 8.58 s.
In lap four you lost 2.15 s at turn seven.
Your entry to Turn 7 was 84 km/h in lap 6 and 100 km/h in lap 7.
You pulled 3.4 g in Turn 1.
The oil reached 180 degrees.
Lap 7 is 6.0 s ahead of lap 6.
Lap 6 is 6.0 s behind lap 7.
The theoretical best is 1:47.250.
""".strip().splitlines()

ADVICE = """
Brake a car length later.
Brake two car lengths later at Turn 7 and keep the same first squeeze.
Move the mark forward a car length at a time.
In the first 10 metres, squeeze; do not stab.
Take the first 10 metres gently.
Use the first 10 metres to settle the car.
Try 5 m later at Turn 11.
Try braking five metres later next time.
Brake at the 300 board.
Aim for 1:48.5 in the next run.
Aim for a 1:48 by the end of the day.
Carry 5 km/h more into Turn 10.
Carry three more km/h to the apex.
Let the brake go over two seconds.
Release the brake over the last 20 metres.
Count to three, then open the throttle.
Wait half a second before you turn in.
Wait a tenth longer with the throttle.
Hold 80 bar for the first half of the zone.
Squeeze to 60 bar, then bleed it off.
Look 50 metres ahead.
Look 100 m further down the road.
Start the release 10 m sooner.
Begin to turn a metre later.
Use all of the road: the last half metre is free.
Give it 2 laps to warm the tyres.
Warm up for two laps, then do three laps on Turn 11 alone.
Keep one foot working at all times.
Keep it under 7000 rpm on the out lap.
Shift at 7500 rpm.
Stay in third gear through the Carousel.
Breathe out on the straight for four seconds.
Practise one thing at a time.
Do three laps with that, then come in.
Build up to it in steps of two metres.
Add 2 metres each lap until it no longer turns.
Don't brake more than 10 m later at once.
Never give up more than a car length at the exit.
You should brake 5 m later.
You could carry 3 km/h more there.
You might try a car length later.
If you wait 0.2 s longer, the car turns better.
Next lap, brake 10 m later.
Next time, open the throttle 20 m sooner.
A target of 1:48.9 would be fair.
The target is half a second in the next run.
A car length is enough.
Five metres may be enough.
Ten percent less brake pressure helps.
Come in when the oil reads 125 degrees.
""".strip().splitlines()
