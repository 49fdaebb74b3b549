package order

// This file keeps the links seen so far as a graph in memory, and computes PageRank and HITS (hubs and authorities)
// over it. The policy wire uses it.

import "math"

// graph is the links seen so far: of the pages that were fetched, at most so many nodes and links, after which new ones
// are left out.
type graph struct {
	most  int
	at    map[uint64]int32 // nodes, by hash of the URL
	host  []int32          // of nodes
	hosts map[uint64]int32
	out   [][]edge // of nodes
	edges int
}

type edge struct {
	to     int32
	weight float32
}

// Bounds: edges for every node that may be, and those of one page.
const (
	edgesPerNode = 8
	mostEdges    = 512
)

func newGraph(most int) *graph {
	return &graph{most: most, at: map[uint64]int32{}, hosts: map[uint64]int32{}}
}

// node is the number of a URL, -1 when there is no room for it.
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

// link adds a link.
func (g *graph) link(from, to int32, weight float32) {
	if from >= 0 && to >= 0 && len(g.out[from]) < mostEdges && g.edges < edgesPerNode*g.most {
		g.out[from] = append(g.out[from], edge{to, weight})
		g.edges++
	}
}

// ofHosts is the graph of hosts: a link for each link between pages of two of them.
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

// Steps of the rankings below, after which they have settled well enough to order by.
const steps = 20

// pageRank is Page and Brin's, with damping 0.85, of links as heavy as they are, or all alike. What is in pages without
// links, as all that was not fetched, goes to all. The sum is 1.
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

func (e edge) share(weighted bool) float64 {
	if weighted {
		return float64(e.weight)
	}
	return 1
}

// hits is Kleinberg's hubs and authorities. The squares of each sum to 1.
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
