package api

import (
	"context"
	"net/http"
)

// Eraser is the part of a Node that deletes what it has.
type Eraser interface {
	// Erase begins to end the node, which then deletes everything that it
	// fetched and found, and returns without waiting for that. What was begun
	// is finished by the next start if the process is killed meanwhile.
	Erase(ctx context.Context) error
}

// eraseRequest is the body of POST /api/erase. Confirm must be "erase", so that
// no slip of a script does it.
type eraseRequest struct {
	Confirm string `json:"confirm"`
}

func (s *Server) erase(w http.ResponseWriter, r *http.Request) error {
	var body eraseRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Confirm != "erase" {
		return refuse(http.StatusBadRequest, `confirm must be "erase": everything that was fetched and found is deleted`)
	}
	_, err := ask(r, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.node.Erase(ctx) })
	if err == nil {
		w.WriteHeader(http.StatusAccepted)
	}
	return err
}

// Erase ends the node and has it delete everything that it fetched and found.
// It returns when the node has begun to.
func (c *Client) Erase(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/erase", eraseRequest{Confirm: "erase"}, nil)
}
