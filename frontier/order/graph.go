package order

// This file keeps the links seen so far as a graph in memory, and computes PageRank and HITS (hubs and authorities)
// over it. The policy wire uses it.

import "math"

// graph holds the links of fetched pages. Pages are nodes with numbers from 0 on. The numbers of nodes and of links are
// bounded; when it is full, new ones are left out.
type graph struct {
	most  int              // how many nodes there may be
	at    map[uint64]int32 // number of a node, by hash of its URL
	host  []int32          // number of the host of each node
	hosts map[uint64]int32 // number of a host, by hash of its name
	out   [][]edge         // links of each node
	edges int              // how many links there are
}

// edge is a link to the node with number to.
type edge struct {
	to     int32
	weight float32
}

// Bounds of the links: on average for each node that there may be, and of one page.
const (
	edgesPerNode = 8
	mostEdges    = 512
)

func newGraph(most int) *graph {
	return &graph{most: most, at: map[uint64]int32{}, hosts: map[uint64]int32{}}
}

// node returns the number of the node of a URL. It adds the node if it is new, and returns -1 if there is no room for
// it.
func (g *graph) node(url string) int32 {
	key := hash(url)
	if n, ok := g.at[key]; ok {
		return n
	}
	if len(g.out) >= g.most {
		return -1
	}
	n := int32(len(g.out))
	g.at[key] = n
	name := hostKey(url)
	h, ok := g.hosts[name]
	if !ok {
		h = int32(len(g.hosts))
		g.hosts[name] = h
	}
	g.host = append(g.host, h)
	g.out = append(g.out, nil)
	return n
}

// link adds a link from one node to another, if there is room for it. A node may be -1, which adds nothing.
func (g *graph) link(from, to int32, weight float32) {
	if from >= 0 && to >= 0 && len(g.out[from]) < mostEdges && g.edges < edgesPerNode*g.most {
		g.out[from] = append(g.out[from], edge{to, weight})
		g.edges++
	}
}

// ofHosts returns the graph of hosts: it has one link for each link between pages of two different hosts.
func (g *graph) ofHosts() *graph {
	h := &graph{out: make([][]edge, len(g.hosts))}
	for from, out := range g.out {
		for _, e := range out {
			if a, b := g.host[from], g.host[e.to]; a != b {
				h.out[a] = append(h.out[a], edge{b, 1})
			}
		}
	}
	return h
}

// steps is how many steps the rankings below take. By then they have settled well enough to order URLs by.
const steps = 20

// pageRank returns the PageRank of each node, after Page and Brin, with damping 0.85. A link counts by its weight if
// weighted is true; otherwise all links count the same. The rank of pages without links, such as pages that were not
// fetched, goes to all nodes in equal parts. The ranks sum to 1.
func (g *graph) pageRank(weighted bool) []float64 {
	const damping = 0.85
	n := float64(len(g.out))
	rank, next := make([]float64, len(g.out)), make([]float64, len(g.out))
	for i := range rank {
		rank[i] = 1 / n
	}
	for range steps {
		lost := 0.0
		clear(next)
		for from, out := range g.out {
			all := 0.0
			for _, e := range out {
				all += e.share(weighted)
			}
			if all == 0 {
				lost += rank[from]
				continue
			}
			for _, e := range out {
				next[e.to] += damping * rank[from] * e.share(weighted) / all
			}
		}
		for i := range next {
			next[i] += (1-damping)/n + damping*lost/n
		}
		rank, next = next, rank
	}
	return rank
}

// share returns how much the link counts beside the other links of its page.
func (e edge) share(weighted bool) float64 {
	if weighted {
		return float64(e.weight)
	}
	return 1
}

// hits returns two scores for each node, Kleinberg's hubs and authorities. The squares of each score sum to 1.
func (g *graph) hits() (hubs, authorities []float64) {
	hubs, authorities = make([]float64, len(g.out)), make([]float64, len(g.out))
	for i := range hubs {
		hubs[i] = 1
	}
	for range steps {
		clear(authorities)
		for from, out := range g.out {
			for _, e := range out {
				authorities[e.to] += hubs[from]
			}
		}
		toLength1(authorities)
		for from, out := range g.out {
			hubs[from] = 0
			for _, e := range out {
				hubs[from] += authorities[e.to]
			}
		}
		toLength1(hubs)
	}
	return hubs, authorities
}

// toLength1 divides v by its Euclidean length, so that its squares sum to 1.
func toLength1(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum > 0 {
		sum = math.Sqrt(sum)
		for i := range v {
			v[i] /= sum
		}
	}
}
