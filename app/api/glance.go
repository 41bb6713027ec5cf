package api

// Glance is what a small picture of a node shows, such as its icon in the tray: little, and cheap to find out.
// It has no place in the API over HTTP.
type Glance struct {
	State State
	// Sentence says what the node does now and why, in the language that was asked for.
	Sentence string
	// Consent says that the user agreed to the present text, or needs not.
	Consent bool
	// Mode is what the user has asked for by hand: ModePaused, ModeWork, ModeFinish, or ModeAuto for nothing.
	Mode Mode
	// Run says when the node works; Watched that somebody's presence is known of, so that RunAway means something.
	Run     RunMode
	Watched bool
	// HelpNow says that nothing but the user's presence or hours keeps it from work.
	HelpNow bool
	// Back is what was fetched in the last absence, nil if there is nothing to tell; without pages to open.
	Back *Away
	// Fullscreen says that a program is known to fill the screen.
	Fullscreen bool
	// Pages counts pages fetched since ever.
	Pages int64
	// Resting is a word for what keeps the node from working, "" if it works or waits for sites. It stays the same
	// while the reason does.
	Resting string
	// Troubles are the things that are wrong, the worst first.
	Troubles []Trouble
	// Notices are the notifications that the user wants.
	Notices Notices
}

// Mode is what the user has asked for by hand.
type Mode string

// The modes. They end with ModeAuto.
const (
	ModeAuto   Mode = "auto"   // nothing: the limits decide
	ModePaused Mode = "paused" // to rest
	ModeWork   Mode = "work"   // to work although the limits say otherwise
	ModeFinish Mode = "finish" // to begin nothing more
)

// Trouble is a word for something that is wrong. New ones may be added.
type Trouble string

// The troubles.
const (
	TroubleStore     Trouble = "store"     // the store cannot be written
	TroubleArchive   Trouble = "archive"   // the archive cannot be written
	TroubleDisk      Trouble = "disk"      // the disk is nearly full
	TroubleSettings  Trouble = "settings"  // the settings file is wrong
	TroubleRefused   Trouble = "refused"   // sites refuse the address of this computer
	TroubleFruitless Trouble = "fruitless" // no site answers with a page
)

// Notices are the notifications that a user wants.
type Notices struct {
	FirstPage bool // of the first page ever
	Paused    bool // of a rest of more than a day
	Problem   bool // of each Trouble
	Away      bool // of what was fetched while nobody was there
}
