// Package browser tries the HTML report in a real browser: filters, links that
// can be sent, the keyboard, and that the page loads nothing and reports no
// error. It holds tests alone.
//
// The tests need Chromium on the PATH. Without it they are skipped, unless CI is
// true or DYNAPROOF_BROWSER is set: then its absence is a failure. With
// DYNAPROOF_SCREENSHOTS set to a folder, they leave a picture of every view there,
// at three widths, light and dark.
package browser
