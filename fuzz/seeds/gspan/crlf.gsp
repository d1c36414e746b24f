t # 0
v 0 A
