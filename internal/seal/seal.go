// Package seal holds the key to the accessors that hand one pipeline stage's
// private data to the next.
//
// The stages' types (validator.Query, executor.Rows) keep their contents in
// unexported fields, so nobody can forge one. The next stage still has to read
// them, and Go has no friend packages: the accessor therefore asks for a Key.
// Only Open makes a key that opens anything, and code outside this module can't
// call it (the package is internal), so it can neither read a tree and change it
// nor read rows before they are projected. A zero Key, which generic code can
// make of a type that it can't name, opens nothing. Inside the module the import
// test lets only the pipeline's own packages import this one.
package seal

// Key is proof that the caller is a stage of the pipeline. The zero Key opens
// nothing.
type Key struct{ mark *mark }

// mark has a size, so that its address is its own.
type mark struct{ _ byte }

var opened mark

// Open returns the key.
func Open() Key { return Key{&opened} }

// Valid reports whether Open made the key.
func (k Key) Valid() bool { return k.mark == &opened }
