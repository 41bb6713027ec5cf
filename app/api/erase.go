package api

import (
	"context"
	"net/http"
)

// Eraser is the part of a Node that deletes what it has.
type Eraser interface {
	// Erase begins to end the node, which then deletes what it is told to, and returns without waiting for that. What
	// was begun is finished by the next start if the process is killed meanwhile. A node of which only sites are erased
	// starts again.
	Erase(ctx context.Context, what Erasure) error
}

// Erasure says what is erased: everything that was fetched and found, unless it names sites or addresses.
type Erasure struct {
	// Sites are domains, with all hosts below them, or hosts with a path.
	Sites []string `json:"sites,omitempty"`
	// URLs are single addresses.
	URLs []string `json:"urls,omitempty"`
	// KeepIdentity leaves the node its name in the network where everything else goes.
	KeepIdentity bool `json:"keep_identity,omitempty"`
}

// IsPart reports whether the rest stays.
func (e Erasure) IsPart() bool { return len(e.Sites)+len(e.URLs) > 0 }

// maxErased bounds the sites and the addresses of one call.
const maxErased = 100

// eraseRequest is the body of POST /api/erase. Confirm must be "erase", so that
// no slip of a script does it.
type eraseRequest struct {
	Confirm string `json:"confirm"`
	// Sites, URLs and KeepIdentity are as in Erasure.
	Sites        []string `json:"sites"`
	URLs         []string `json:"urls"`
	KeepIdentity bool     `json:"keep_identity"`
}

func (s *Server) erase(w http.ResponseWriter, r *http.Request) error {
	var body eraseRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Confirm != "erase" {
		return refuse(http.StatusBadRequest,
			`confirm must be "erase": everything that was fetched and found is deleted`)
	}
	if max(len(body.Sites), len(body.URLs)) > maxErased {
		return refuse(http.StatusBadRequest, "more than %d sites or addresses at once", maxErased)
	}
	what := Erasure{Sites: body.Sites, URLs: body.URLs, KeepIdentity: body.KeepIdentity}
	return obey(w, r, http.StatusAccepted, func(ctx context.Context) error { return s.node.Erase(ctx, what) })
}

// Erase ends the node and has it delete what it is told to.
// It returns when the node has begun to.
func (c *Client) Erase(ctx context.Context, what Erasure) error {
	body := eraseRequest{Confirm: "erase", Sites: what.Sites, URLs: what.URLs, KeepIdentity: what.KeepIdentity}
	return c.call(ctx, http.MethodPost, "/api/erase", body, nil)
}
