package main

// This file is the command kavosh profile: logins that a person made, for crawls.

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"kavosh"
	"kavosh/engine"
	"kavosh/fetch"
	"kavosh/internal/knownhosts"
	"kavosh/lib/weburl"
	"kavosh/profile"
	"kavosh/profile/screen"
	"kavosh/seeds"
)

type profileCmd struct {
	New    profileNewCmd    `cmd:"" help:"Make a profile by logging in with a browser, which is shown as a page on this machine."`
	Import profileImportCmd `cmd:"" help:"Make a profile of a file of cookies that a browser's extension wrote."`
	List   profileListCmd   `cmd:"" help:"Print the names of the profiles."`
	Show   profileShowCmd   `cmd:"" help:"Say of a profile for which sites it is and how long its cookies last; never their values."`
	Remove profileRemoveCmd `cmd:"" help:"Remove a profile."`
}

// Help returns the text above the subcommands in the help.
func (profileCmd) Help() string {
	return `A profile lets a crawl see what you see who logged in:

    kavosh profile new news https://news.example/account
    kavosh crawl --profile news https://news.example/

The URL is a page that shows whether one is logged in, such as the account's. Profiles lie sealed with a passphrase in
your configuration folder, outside all archives. No archive, log or export has anything of them but name and page.`
}

// sealed is what the subcommands share that open profiles.
type sealed struct {
	Passphrase string `name:"passphrase-file" placeholder:"FILE" help:"The passphrase of the profiles is the first line of this file. Otherwise KAVOSH_PROFILE_PASSPHRASE has it, or kavosh asks."`
}

// account is what the subcommands share that make profiles.
type account struct {
	Name     string `arg:"" name:"name" help:"The name of the profile. One that is there already is made anew."`
	URL      string `arg:"" name:"url" help:"A page that shows whether one is logged in, such as that of the account. The profile is for all hosts of its domain."`
	LoggedIn string `name:"logged-in" placeholder:"TEXT" help:"That page has this in its text or its HTML while one is logged in, and else not, such as your name there. Without it, a link to log out tells."`
}

// profile returns the profile to make, as far as it is known from the command line.
func (s *account) profile() (*kavosh.Profile, error) {
	if err := profile.CheckName(s.Name); err != nil {
		return nil, usage("%v", err)
	}
	url, err := seeds.Key(s.URL)
	if err != nil {
		return nil, usage("%v", err)
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, usage("%v", err)
	}
	return &kavosh.Profile{Name: s.Name, Domains: []string{weburl.Domain(strings.Trim(u.Hostname(), "[]"))}, Check: url, Sign: s.LoggedIn}, nil
}

// keep saves a profile and says how to use it.
func (s *account) keep(p *program, made *kavosh.Profile, passphrase string) error {
	folder, err := profile.UserFolder()
	if err == nil {
		err = folder.Save(made, passphrase)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "The profile %s has %s for %s. Crawl with it:\n\n    kavosh crawl --profile %s %s\n",
		made.Name, plural(len(made.Cookies), "cookie"), strings.Join(made.Domains, ", "), made.Name, quoted(made.Check))
	return err
}

type profileNewCmd struct {
	account
	Addr string   `default:"127.0.0.1:0" help:"Address at which the browser is shown; port 0 is any that is free."`
	Host []string `sep:"none" placeholder:"NAME" help:"Answer to this host name, too. May be repeated."`
	sealed
}

// Help returns the text above the flags in the help.
func (profileNewCmd) Help() string {
	return `Kavosh starts Chromium and prints an address of this machine, with a token. The page there shows the browser: log in, then
press its button. For a server elsewhere, lead the port to you first, such as by ssh -L 8086:127.0.0.1:8086 SERVER:

    kavosh profile new news https://news.example/account --addr 127.0.0.1:8086

What you type there goes to the browser alone. Nobody but who has the address sees it.`
}

// Run shows a browser until the person has logged in.
func (c *profileNewCmd) Run(p *program) error {
	made, err := c.profile()
	if err != nil {
		return err
	}
	pass, err := passphrase(p, c.Passphrase, true)
	if err != nil {
		return err
	}
	listener, err := listen("--addr", c.Addr, c.Host)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, stop := p.interruptible(nil)
	defer stop()
	shown, err := screen.Open(ctx, made.Check, made.Domains)
	if err != nil {
		return err
	}
	defer shown.Close()
	page := screen.NewPage(shown)
	server := listener.Server(page, knownhosts.MaxAsked)
	defer server.Close()
	go server.Serve(listener)
	fmt.Fprintf(p.out, "Log in there, then press the button below the picture:\n\n    %s%s\n\n", listener.URL(), page.Path())
	select {
	case <-page.Done():
	case <-shown.Gone():
		return errors.New("the browser has ended: start again")
	case <-ctx.Done():
		return exitStatus(exitInterrupted)
	}
	html := ""
	if made.Cookies, made.Storage, html, err = shown.Take(); err != nil {
		return err
	}
	if len(made.Cookies)+len(made.Storage) == 0 {
		return fmt.Errorf("%s left no cookie and no storage in the browser: nobody has logged in there, and no profile was made", made.Domains[0])
	}
	if !engine.ShowsLogin(made, []byte(html)) {
		fmt.Fprintln(p.err, "kavosh: the page that the browser showed last has no sign of a login: if you are logged in, name a text of", made.Check, "that only members see, by --logged-in TEXT, so that a crawl notices when the login is over")
	}
	return c.keep(p, made, pass)
}

type profileImportCmd struct {
	account
	File string `arg:"" name:"cookies.txt" help:"The cookies: a file in the form of Netscape, which extensions of browsers, curl and wget write."`
	sealed
}

// Run makes a profile of a file of cookies.
func (c *profileImportCmd) Run(p *program) error {
	made, err := c.profile()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	given, err := fetch.ReadCookies(string(text), func(domain string) bool { return domain == made.Domains[0] })
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", c.File, err)
	case !given.Live(time.Now()):
		return fmt.Errorf("%s: all its cookies of %s are over: log in again with the browser, then write the file again", c.File, made.Domains[0])
	}
	made.Cookies = given.Cookies()
	pass, err := passphrase(p, c.Passphrase, true)
	if err != nil {
		return err
	}
	return c.keep(p, made, pass)
}

type profileListCmd struct{}

// Run prints the names of all profiles, and where they lie.
func (c *profileListCmd) Run(p *program) error {
	folder, err := profile.UserFolder()
	if err != nil {
		return err
	}
	names, err := folder.Names()
	if err == nil && len(names) == 0 {
		fmt.Fprintf(p.err, "kavosh: there is no profile in %s: make one with kavosh profile new\n", folder)
	}
	for _, name := range names {
		fmt.Fprintf(p.out, "%s  %s\n", name, folder.Path(name))
	}
	return err
}

type profileShowCmd struct {
	Name string `arg:"" name:"name" help:"The name of the profile."`
	sealed
}

// Run says what a profile is for.
func (c *profileShowCmd) Run(p *program) error {
	all, _, err := loadProfiles(p, []string{c.Name}, c.Passphrase)
	if err != nil {
		return err
	}
	made := all[0]
	ended, first := 0, time.Time{}
	for _, cookie := range made.Cookies {
		switch end := cookie.Expires; {
		case end.IsZero():
		case end.Before(time.Now()):
			ended++
		case first.IsZero() || end.Before(first):
			first = end
		}
	}
	fmt.Fprintf(p.out, "%s is for all hosts of %s.\n", made.Name, strings.Join(made.Domains, ", "))
	fmt.Fprintf(p.out, "  cookies  %s, of which %d are over", plural(len(made.Cookies), "cookie"), ended)
	if !first.IsZero() {
		fmt.Fprintf(p.out, "; the next ends %s", first.Local().Format("2006-01-02 15:04"))
	}
	fmt.Fprintf(p.out, "\n  storage  %s\n  check    %s\n", plural(len(made.Storage), "value"), made.Check)
	sign := "a link to log out"
	if made.Sign != "" {
		sign = fmt.Sprintf("%q", made.Sign)
	}
	_, err = fmt.Fprintf(p.out, "  sign     %s\n", sign)
	return err
}

type profileRemoveCmd struct {
	Name string `arg:"" name:"name" help:"The name of the profile."`
}

// Run removes a profile.
func (c *profileRemoveCmd) Run(p *program) error {
	folder, err := profile.UserFolder()
	if err == nil {
		err = folder.Remove(c.Name)
	}
	if err == nil {
		_, err = fmt.Fprintf(p.out, "The profile %s is removed. Log out at its site, too, so that nobody can use a copy.\n", c.Name)
	}
	return err
}

// loadProfiles opens profiles with the passphrase that is named, or asked for. keep saves one of them again.
func loadProfiles(p *program, names []string, file string) (all []*kavosh.Profile, keep func(*kavosh.Profile) error, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	folder, err := profile.UserFolder()
	if err != nil {
		return nil, nil, err
	}
	opened := folder.Open()
	pass, err := passphrase(p, file, false)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		one, err := opened.Load(name, pass)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, one)
	}
	return all, opened.Save, nil
}
