package lists

import (
	"encoding/json"
	"reflect"
	"testing"
)

// An answer has no null in place of a list, however deep, and what it refers to stays as it was.
func TestFilled_ListsAreNeverNull(t *testing.T) {
	type leaf struct {
		Words []string `json:"words"`
	}
	type tree struct {
		Leaves []leaf            `json:"leaves"`
		Best   *leaf             `json:"best"`
		None   *leaf             `json:"none"`
		Names  map[string]string `json:"names"`
		Marks  []byte            `json:"-"`
	}
	shared, best := []leaf{{}, {Words: []string{"a"}}}, leaf{}
	got, err := json.Marshal(Filled(tree{Leaves: shared, Best: &best}))
	if want := `{"leaves":[{"words":[]},{"words":["a"]}],"best":{"words":[]},"none":null,"names":{}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if !reflect.DeepEqual(shared, []leaf{{}, {Words: []string{"a"}}}) || best.Words != nil {
		t.Errorf("what was handed over changed: %+v, %+v", shared, best)
	}
}
