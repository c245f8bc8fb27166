package designs

import (
	"embed"
	"fmt"
	"io/fs"

	"dynaproof/accesspatterns/requests"
)

//go:embed testdata/requests
var asked embed.FS

// Requests are those that were written from a document of this project alone; none for a design that somebody brings.
func Requests(design string) (all []requests.Asked, err error) {
	if !Shipped() {
		return nil, nil
	}
	names, err := fs.Glob(asked, "testdata/requests/"+design+".*")
	for _, name := range names {
		text, err := asked.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := requests.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, err
}
