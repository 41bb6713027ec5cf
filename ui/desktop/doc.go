// Package desktop is the window: views of a node that are drawn with Fyne. It asks and commands the node by its
// local API alone and never imports fyne.io/fyne/v2/app, so that it is built and tested without a display.
package desktop
