package engine

import (
	"crypto/rand"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"mysqlevidence/cmd/demo/sakila"
)

// account is the only account of the server.
type account struct{ name, password string }

func newAccount() account {
	return account{name: "evidence", password: rand.Text()}
}

// create makes the account, with SELECT on the sample and nothing else. It is put
// into the user table directly: CREATE USER and GRANT need an account themselves.
func (a account) create(e *sqle.Engine) error {
	hash, err := plan.AuthenticationMysqlNativePassword(a.password).AuthString()
	if err != nil {
		return err
	}
	rights := mysql_db.NewPrivilegeSet()
	rights.AddDatabase(sakila.Database, sql.PrivilegeType_Select, sql.PrivilegeType_ShowView)
	users := e.Analyzer.Catalog.MySQLDb
	users.SetEnabled(true) // without it everybody may do everything
	edit := users.Editor()
	defer edit.Close()
	edit.PutUser(&mysql_db.User{
		User:         a.name,
		Host:         "localhost",
		PrivilegeSet: rights,
		Plugin:       string(mysql.MysqlNativePassword),
		AuthString:   hash,
	})
	return nil
}
