/* Small graphs by hand, as docs/graph.md describes them. Single quotes stand for double ones. */
#ifndef OPWRIGHT_TESTS_UNIT_GRAPH_FIXTURES_H
#define OPWRIGHT_TESTS_UNIT_GRAPH_FIXTURES_H

#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define FLOATS "'dtype':['float16','bfloat16','float32']"
#define HEAD                                                                                                           \
    "{'schema':1,'name':'demo','file':'demo.py','torch':'2.13','variants':['float16','bfloat16','float32'],'own_variant':2,"
#define HEAD_INT "{'schema':1,'name':'demo','file':'demo.py','torch':'2.13','variants':['int32'],'own_variant':0,"
#define AT(line, text) "'at':{'line':" #line ",'text':'" text "'}"
#define ARG(id, index, dtype, shape, hint, stride)                                                                     \
    "{'id':'" id "','name':'" id "','kind':'argument','arg_index':" #index "," dtype ",'shape':" shape ",'hint_shape':" hint  \
    ",'hint_stride':" stride ",'contiguous':true}"
#define MODEL(args) "'model':{'module_code':'','init_code':'','call_args':" args ",'forward_params':'x, y'},'notes':[]}"

static const char FIX_ADD[] = HEAD "'symbols':{'s0':{'hint':8},'s1':{'hint':2048}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[8,2048]", "[2048,1]") "," ARG("y", 1, FLOATS, "['s0','s1']", "[8,2048]", "[2048,1]")
    "],'nodes':[{'id':'n0','op':'aten.add.Tensor','args':[{'ref':'x'},{'ref':'y'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(3, "x + y")
    "}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x','y']");

/* Traced for four parts of 1024 rows. */
static const char FIX_TIED[] = HEAD "'symbols':{'s0':{'hint':4096},'s1':{'hint':4096}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[4096,4096]", "[4096,1]") "," ARG("y", 1, FLOATS, "['s0','s1']", "[4096,4096]", "[4096,1]")
    "],'nodes':[{'id':'n0','op':'aten.add.Tensor','args':[{'ref':'x'},{'ref':'y'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(3, "x + y")
    "}],'equal':[{'x':'(s0 + 1023)//1024','y':4,'node':0}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x','y']");

static const char FIX_BIAS[] = HEAD "'symbols':{'s0':{'hint':200},'s1':{'hint':1000}},'scalars':[{'id':'alpha','name':'alpha','type':'float',"
    "'value':0.5,'from':'argument','arg_index':2}],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[200,1000]", "[1000,1]") "," ARG("b", 1, FLOATS, "['s1']", "[1000]", "[1]")
    "],'nodes':[{'id':'n0','op':'aten.mul.Tensor','args':[{'ref':'x'},{'scalar':'alpha'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(3, "x * alpha")
    "},{'id':'n1','op':'aten.add.Tensor','args':[{'ref':'n0'},{'ref':'b'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(4, "x * alpha + b")
    "}],'outputs':[{'ref':'n1','name':'z'}],'output_kind':'tensor'," MODEL("['x','b','alpha']");

static const char FIX_TRANSPOSE[] = HEAD "'symbols':{'s0':{'hint':70},'s1':{'hint':130}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[70,130]", "[130,1]") "," ARG("y", 1, FLOATS, "['s1','s0']", "[130,70]", "[70,1]")
    "],'nodes':[{'id':'n0','op':'aten.t.default','args':[{'ref':'x'}],'kwargs':{}," FLOATS ",'shape':['s1','s0']," AT(3, "x.t()")
    "},{'id':'n1','op':'aten.add.Tensor','args':[{'ref':'n0'},{'ref':'y'}],'kwargs':{}," FLOATS ",'shape':['s1','s0']," AT(3, "x.t() + y")
    "}],'outputs':[{'ref':'n1','name':'z'}],'output_kind':'tensor'," MODEL("['x','y']");

/* (x + c) for a column c, and c * 2: two shapes, two passes. */
static const char FIX_TWO_SHAPES[] = HEAD "'symbols':{'s0':{'hint':40},'s1':{'hint':100}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[40,100]", "[100,1]") "," ARG("c", 1, FLOATS, "['s0',1]", "[40,1]", "[1,1]")
    "],'nodes':[{'id':'n0','op':'aten.add.Tensor','args':[{'ref':'x'},{'ref':'c'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(3, "x + c")
    "},{'id':'n1','op':'aten.mul.Tensor','args':[{'ref':'c'},2],'kwargs':{}," FLOATS ",'shape':['s0',1]," AT(4, "c * 2")
    "}],'outputs':[{'ref':'n0','name':'z'},{'ref':'n1','name':'w'}],'output_kind':'tuple'," MODEL("['x','c']");

/* a[:, :s1//2] * b, where b has s2 columns. */
static const char FIX_HALF[] = HEAD "'symbols':{'s0':{'hint':16},'s1':{'hint':64},'s2':{'hint':32}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[16,64]", "[64,1]") "," ARG("y", 1, FLOATS, "['s0','s2']", "[16,32]", "[32,1]")
    "],'nodes':[{'id':'n0','op':'aten.slice.Tensor','args':[{'ref':'x'},1,0,{'size':'s1//2'}],'kwargs':{}," FLOATS ",'shape':['s0','s1//2'],"
    AT(3, "x[:, :h]") "},{'id':'n1','op':'aten.mul.Tensor','args':[{'ref':'n0'},{'ref':'y'}],'kwargs':{}," FLOATS ",'shape':['s0','s1//2'],"
    AT(4, "x[:, :h] * y") "}],'outputs':[{'ref':'n1','name':'z'}],'output_kind':'tensor'," MODEL("['x','y']");

static const char FIX_FLOAT64[] = HEAD_INT "'symbols':{'s0':{'hint':8}},'scalars':[],'inputs':["
    ARG("x", 0, "'dtype':['int32']", "['s0']", "[8]", "[1]")
    "],'nodes':[{'id':'n0','op':'aten._to_copy.default','args':[{'ref':'x'}],'kwargs':{'dtype':{'dtype':'float64'}},'dtype':['float64'],'shape':['s0'],"
    AT(7, "x.to(torch.float64)") "}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x']");

static const char FIX_UNKNOWN_OP[] = HEAD "'symbols':{'s0':{'hint':8}},'scalars':[],'inputs':[" ARG("x", 0, FLOATS, "['s0']", "[8]", "[1]")
    "],'nodes':[{'id':'n0','op':'aten.nosuch.default','args':[{'ref':'x'},0],'kwargs':{}," FLOATS ",'shape':['s0']," AT(9, "x.nosuch(0)")
    "}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x']");

/* The JSON of a fixture; the caller decrefs. NULL when it is not JSON. */
static inline json_t *fixture_json(const char *text) {
    char *copy = strdup(text);
    for (char *p = copy; *p; p++)
        if (*p == '\'') *p = '"';
    json_t *json = json_loads(copy, 0, NULL);
    free(copy);
    return json;
}

static inline Graph *fixture_graph(Arena *a, const char *text, Err *err) {
    json_t *json = fixture_json(text);
    Graph *g = graph_parse(a, json, err);
    json_decref(json);
    return g;
}

/* softmax over the last dimension, times a column; and the sum over the first one. */
static const char FIX_SOFTMAX[] = HEAD "'symbols':{'s0':{'hint':64},'s1':{'hint':1000}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[64,1000]", "[1000,1]") "," ARG("c", 1, FLOATS, "['s0',1]", "[64,1]", "[1,1]")
    "],'nodes':[{'id':'n0','op':'aten._softmax.default','args':[{'ref':'x'},-1,false],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(3, "softmax(x)")
    "},{'id':'n1','op':'aten.mul.Tensor','args':[{'ref':'n0'},{'ref':'c'}],'kwargs':{}," FLOATS ",'shape':['s0','s1']," AT(4, "softmax(x) * c")
    "}],'outputs':[{'ref':'n1','name':'z'}],'output_kind':'tensor'," MODEL("['x','c']");

/* The largest of each row, and the sum of those: two stages. */
static const char FIX_TWO_STAGES[] = HEAD "'symbols':{'s0':{'hint':64},'s1':{'hint':1000}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[64,1000]", "[1000,1]")
    "],'nodes':[{'id':'n0','op':'aten.amax.default','args':[{'ref':'x'},[-1]],'kwargs':{}," FLOATS ",'shape':['s0']," AT(3, "x.amax(-1)")
    "},{'id':'n1','op':'aten.sum.default','args':[{'ref':'n0'}],'kwargs':{}," FLOATS ",'shape':[]," AT(4, "x.amax(-1).sum()")
    "}],'outputs':[{'ref':'n1','name':'z'}],'output_kind':'tensor'," MODEL("['x']");

/* Sum over the first dimension. */
static const char FIX_SUM_ROWS[] = HEAD "'symbols':{'s0':{'hint':64},'s1':{'hint':1000}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[64,1000]", "[1000,1]")
    "],'nodes':[{'id':'n0','op':'aten.sum.dim_IntList','args':[{'ref':'x'},[0]],'kwargs':{}," FLOATS ",'shape':['s1']," AT(3, "x.sum(0)")
    "}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x']");

#endif
