package help

import "github.com/forage-net/forage/ui/cli/env"

// codeText says what an exit code means.
func codeText(code int) string {
	switch code {
	case env.ExitOK:
		return "done"
	case env.ExitError:
		return "failed; standard error says why"
	case env.ExitUsage:
		return "wrong usage"
	case env.ExitRunning:
		return "Forage is already running here"
	case env.ExitConfig:
		return "the settings have a fault"
	case env.ExitNoConsent:
		return "nobody has agreed yet"
	}
	return ""
}

// exitCodes are all that there are, in order.
func exitCodes() []int {
	return []int{env.ExitOK, env.ExitError, env.ExitUsage, env.ExitRunning, env.ExitConfig, env.ExitNoConsent}
}
