// Package architecture has no code, only tests of the shape of the module: that
// imports run one way, that dangerous packages are imported in one place, and
// that code which skips a stage of the pipeline doesn't compile.
package architecture
