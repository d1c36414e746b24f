t # 0 1
v 0 A
v 1 B
v 2 C
e 0 1 x
e 1 2 y
t # 1 -1
v 0 A
v 1 C
e 0 1 x
