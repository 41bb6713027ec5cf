package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/ui/cli/env"
)

type inviteAnswer struct {
	// Invite is a line for join.
	Invite string `json:"invite"`
}

func newInvite(e *env.Env) *cobra.Command {
	c := env.Command("invite", "a line that brings another computer here", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		client, err := e.Dial()
		if err != nil {
			return err
		}
		in, err := client.Invitation(ctx)
		if err != nil {
			return err
		}
		if in.Private { // beside the line, which may go into a file or another program
			fmt.Fprintln(e.Err, e.Lang.Text("invite.private", nil))
		}
		return e.Answer(inviteAnswer{Invite: in.Invite}, in.Invite)
	})
}
