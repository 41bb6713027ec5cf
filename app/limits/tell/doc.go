// Package tell writes for people, in their language: why a node works or rests, when something happens, how
// long it lasts, and how many bytes it is. Sentences are those of assets/words.
package tell
