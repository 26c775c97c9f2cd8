var searchData=[["x_0",["x",["../structs.html#a3",1,"s"]]]];
