// Package seal holds the key to the accessors that hand one pipeline stage's
// private data to the next.
//
// The stages' types (validator.Query, executor.Rows) keep their contents in
// unexported fields, so nobody can forge one. The next stage still has to read
// them, and Go has no friend packages: the accessor therefore asks for a Key.
// Code outside this module can't name the type (it is internal), so it can
// neither read a tree and change it nor read rows before they are projected;
// inside the module the import test lets only the pipeline's own packages
// import this one.
package seal

// Key is proof that the caller is a stage of the pipeline. Its zero value is
// the key; what protects it is who may import this package. The field matters:
// without it a bare struct{}{} would be assignable to Key from anywhere.
type Key struct{ _ struct{} }
