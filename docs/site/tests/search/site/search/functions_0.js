var searchData=
[
  ['kl_5fadd_0',['kl_add',['../a_8h.html#a1',1,'kl_add(int a):&#160;a.h'],['../b_8h.html#a2',1,'b.h']]]
];
