// Package integrity checks that a contract fits together: each id stands once, each reference names something, each request can be
// sent to its table. It needs neither the document nor a deployment.
package integrity
