// Package shop sells things.
package shop

import (
	"fmt"
	"io"
)

import "os"

// Limit is how many at once.
const Limit = 3

const (
	Red Color = iota // warm
	Green
)

var first, second = 1, 2

var (
	table = map[string]int{"a": 1}
)

type Color int

type Alias = string

// Shop sells.
type Shop[T any] struct {
	io.Reader
	*os.File
	Name, Street string `json:"name"` // over the door
	inner struct {
		deep int
	}
}

type Shape interface {
	fmt.Stringer
	Area(unit string) (float64, error)
}

// Find looks for something.
func (s *Shop[T]) Find(key string, rest ...int) (found T, err error) {
	helper := func() int { return 1 }
	_ = helper
	return
}

func plain[A, B any](a A,
	b B,
) A {
	return a
}
