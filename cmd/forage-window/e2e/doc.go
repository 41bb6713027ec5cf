// Package e2e uses the tray icon and the window as a person does: a real X server, a real panel, a real mouse and
// keyboard, a real node, the practice web. It needs Linux, the programs that ".ci/needs desktop" installs, and what
// ".ci/needs window" installs to build the window; without them its tests are skipped, or fail if
// FORAGE_NEED_DESKTOP is set. "make screenshots" runs it to make the pictures of the user guide.
package e2e
