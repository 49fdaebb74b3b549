package simhash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// text is n words by a seed, as letters of an alphabet.
func text(seed uint64, n int, letters string, space string) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	alphabet := []rune(letters)
	var b strings.Builder
	for range n {
		for range 2 + rnd.IntN(7) {
			b.WriteRune(alphabet[min(rnd.IntN(len(alphabet)), rnd.IntN(len(alphabet)))])
		}
		b.WriteString(space)
	}
	return b.String()
}

var scripts = map[string][2]string{
	"English": {"etaoinshrdlucmfwypvbgkqjxz", " "},
	"Persian": {"ایرنمدهتسشبکزلخقفعحگپجوآغطصضظثذژچ", " "},
	"Chinese": {"的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生", ""},
	"Thai":    {"กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอ", ""},
}

func sum(s string) uint64 {
	var h Hasher
	h.Add([]byte(s))
	return h.Sum()
}

func TestNearlyTheSame(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			near, far := 0, 64
			for seed := range uint64(50) {
				a := text(seed, 1500, script[0], script[1])
				// A date at the top, a counter at the bottom and an advertisement in the middle differ.
				half := strings.Index(a[len(a)/2:], script[1]) + len(a)/2
				for !strings.HasPrefix(a[half:], script[1]) || a[half]&0xC0 == 0x80 {
					half++
				}
				b := "1404/08/30 " + a[:half] + " " + text(seed+1000, 3, script[0], script[1]) + a[half:] + " 12,345"
				near = max(near, Distance(sum(a), sum(b)))
				far = min(far, Distance(sum(a), sum(text(seed+2000, 1500, script[0], script[1]))))
			}
			if near > 2*Near {
				t.Errorf("a page whose date, counter and advertisement differ is up to %d bits away", near)
			}
			if far <= 2*Near {
				t.Errorf("another page is only %d bits away", far)
			}
		})
	}
}

func TestShortTextsHaveNone(t *testing.T) {
	words := strings.Repeat("word ", Least)
	if f := sum(words); f == 0 {
		t.Errorf("%d words have no fingerprint", Least)
	}
	if f := sum(words[len("word "):]); f != 0 {
		t.Errorf("%d words have the fingerprint %x", Least-1, f)
	}
	if f := sum(""); f != 0 {
		t.Errorf("nothing has the fingerprint %x", f)
	}
}

// Fingerprints are kept, so that they must never change.
func TestFingerprintsStay(t *testing.T) {
	for s, want := range map[string]uint64{
		strings.Repeat("All human beings are born free and equal in dignity and rights. ", 3):           0xa2ca7970d878399,
		strings.Repeat("تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. ", 3): 0xa1c0884ea4a69eb3,
		strings.Repeat("人人生而自由，在尊严和权利上一律平等。", 3):                                                        0x3326b8fda91cd084,
	} {
		if got := sum(s); got != want {
			t.Errorf("%.30q: %#x, want %#x", s, got, want)
		}
	}
}

// FuzzAdd compares Add with the rule written letter by letter.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("words and more words, as they come in texts of any length"))
	f.Add([]byte("人人生而自由 و تمام افراد بشر  \xe0\xff\x80 a"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want Hasher
		got.Add(text)
		for i, c := range text {
			if c != ' ' && (i == 0 || text[i-1] == ' ' || c >= 0xE0) {
				want.shingle(text[i:])
			}
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	})
}

func TestIndex(t *testing.T) {
	const capacity = 1000
	x := NewIndex[int](capacity)
	rnd := rand.New(rand.NewPCG(3, 4))
	var all []uint64
	for n := range 5 * capacity {
		f := rnd.Uint64()
		if n%10 == 0 && n > 0 { // a near one of one that is still held
			f = all[n-1-rnd.IntN(min(n, capacity-1))]
			for range rnd.IntN(Near + 1) {
				f ^= 1 << rnd.IntN(64)
			}
		}
		held := all[max(0, len(all)-capacity):]
		best := Near + 1
		for _, other := range held {
			best = min(best, Distance(f, other))
		}
		value, distance, found := x.Find(f)
		if found != (best <= Near) || found && (distance != best || Distance(all[value], f) != best || value < len(all)-capacity) {
			t.Fatalf("after %d: found %v %d at %d, the nearest is at %d", n, found, value, distance, best)
		}
		x.Add(f, n)
		all = append(all, f)
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	s := []byte(text(1, 3000, scripts["English"][0], " "))
	var h Hasher
	x := NewIndex[int](100)
	if n := testing.AllocsPerRun(10, func() {
		h.Reset()
		h.Add(s)
		f := h.Sum()
		x.Find(f)
		x.Add(f, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, script := range scripts {
		b.Run(name, func(b *testing.B) {
			s := bytes.TrimSpace([]byte(text(1, 3000, script[0], script[1])))
			b.SetBytes(int64(len(s)))
			var h Hasher
			for b.Loop() {
				h.Reset()
				h.Add(s)
				h.Sum()
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := NewIndex[struct{}](n)
			rnd := rand.New(rand.NewPCG(3, 4))
			for range n {
				x.Add(rnd.Uint64(), struct{}{})
			}
			for b.Loop() {
				f := rnd.Uint64()
				x.Find(f)
				x.Add(f, struct{}{})
			}
		})
	}
}
