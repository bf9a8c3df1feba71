// Verifies a receipt's .tlog-proof under a policy, with the code of another log: witnessed POLICY RECEIPT PROOF
// It needs filippo.io/torchwood v0.9.0, and golang.org/x/mod.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/tlog"
)

// The members of a receipt that its log entry is made of. The classes, keys and times of receipts need no escape in JSON.
type receipt struct {
	Class    string `json:"class"`
	Kid      string `json:"kid"`
	Hash     string `json:"receipt_hash"`
	Ref      string `json:"ref"`
	SignedAt string `json:"signed_at"`
	V        int    `json:"v"`
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return bytes
}

// The log has hashes of receipt hashes.
func hidden(hash string) string {
	bytes, err := hex.DecodeString(hash)
	if err != nil {
		log.Fatal(err)
	}
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}

func main() {
	policy, err := torchwood.ParsePolicy(read(os.Args[1]))
	if err != nil {
		log.Fatalf("the policy: %v", err)
	}
	var of receipt
	if err := json.Unmarshal(read(os.Args[2]), &of); err != nil {
		log.Fatal(err)
	}
	ref := ""
	if of.Ref != "" {
		ref = fmt.Sprintf(`"ref":%q,`, hidden(of.Ref))
	}
	entry := fmt.Sprintf(`{"class":%q,"h":%q,"kid":%q,%s"t":%q,"v":%d}`, of.Class, hidden(of.Hash), of.Kid, ref, of.SignedAt, of.V)
	if err := torchwood.VerifyProof(policy, tlog.RecordHash([]byte(entry)), read(os.Args[3])); err != nil {
		log.Fatalf("the proof: %v", err)
	}
	fmt.Println("torchwood: the proof holds under the policy")
}
