// Verifies a receipt's .tlog-proof under a policy, with the code of another log: witnessed POLICY RECEIPT PROOF.
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

func main() {
	policy, err := torchwood.ParsePolicy(read(os.Args[1]))
	if err != nil {
		log.Fatalf("the policy: %v", err)
	}
	var of receipt
	if err := json.Unmarshal(read(os.Args[2]), &of); err != nil {
		log.Fatal(err)
	}
	hash, err := hex.DecodeString(of.Hash)
	if err != nil {
		log.Fatal(err)
	}
	hidden := sha256.Sum256(hash)
	entry := fmt.Sprintf(`{"class":%q,"h":%q,"kid":%q,"t":%q,"v":%d}`, of.Class, hex.EncodeToString(hidden[:]), of.Kid, of.SignedAt, of.V)
	if err := torchwood.VerifyProof(policy, tlog.RecordHash([]byte(entry)), read(os.Args[3])); err != nil {
		log.Fatalf("the proof: %v", err)
	}
	fmt.Println("torchwood: the proof holds under the policy")
}
