// Verifies a receipt offline, with the standard library of Go 1.19 or newer: go run verify.go RECEIPT JWKS VKEY
// Makes the checks of docs/verifying.md, except a dispute's rerun. Exit code 0: they hold, 1: one does not, 2: it cannot say.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// C2SP tlog-proof with its signed note, to the last byte: nothing may be added that nobody signed, and base64 has one spelling.
const (
	data   = `(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)`
	hash   = `[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=`
	number = `(0|[1-9][0-9]{0,14})`
	path   = `c2sp\.org/tlog-proof@v1\n(?:extra ` + data + `\n)?index ` + number + `\n((?:` + hash + `\n)*)`
	tree   = `((.+)\n` + number + `\n(` + hash + `)\n(?:.+\n)*)`
	line   = `— ([^+\s\pZ\x{85}\x00-\x1f]+) (` + data + `)\n`
)

var (
	proofForm = regexp.MustCompile(`^` + path + `\n` + tree + `\n((?:` + line + `){1,100})$`)
	lineForm  = regexp.MustCompile(line)
	nameForm  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"`)
	// Spells as RFC 8785 does what encoding/json spells otherwise. An escaped backslash stays together.
	canonical = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\u0008`, `\b`, `\u000c`, `\f`)
)

func must[T any](value T, err error) T {
	need(err == nil, 1, err)
	return value
}

func need(holds bool, code int, why any) {
	if !holds {
		fmt.Printf("%s: %v\n", []string{"valid", "not valid", "cannot say"}[code], why)
		os.Exit(code)
	}
}

func sha(parts ...[]byte) []byte {
	sum := sha256.Sum256(bytes.Join(parts, nil))
	return sum[:]
}

func shaOfHex(text string) string { return hex.EncodeToString(sha(must(hex.DecodeString(text)))) }

func b64u(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func unb64(text string) []byte { return must(base64.StdEncoding.DecodeString(text)) }

func unb64u(text string) []byte { return must(base64.RawURLEncoding.DecodeString(text)) }

// The canonical form of RFC 8785, for names of members in the Basic Multilingual Plane.
func jcs(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(0, encoder.Encode(value))
	return []byte(canonical.Replace(strings.TrimSuffix(text.String(), "\n")))
}

func countNames(text []byte) (count int) {
	for _, token := range nameForm.FindAll(text, -1) {
		count += len(token) - len(bytes.TrimSuffix(token, []byte(":")))
	}
	return count
}

// The root of the tree, from the node at this index; the path ends at the top (RFC 9162, section 2.1.3).
func rootOf(node []byte, index, size int, path []string) []byte {
	if size == 1 {
		need(len(path) == 0, 1, "the path is too long")
		return node
	}
	need(len(path) > 0, 1, "the path is too short")
	left, rest, sibling := 1<<(bits.Len(uint(size-1))-1), path[:len(path)-1], unb64(path[len(path)-1])
	if index < left {
		return sha([]byte{1}, rootOf(node, index, left, rest), sibling)
	}
	return sha([]byte{1}, sibling, rootOf(node, index-left, size-left, rest))
}

func main() {
	defer func() {
		if why := recover(); why != nil {
			need(false, 1, why) // a member is missing or has another type
		}
	}()
	need(len(os.Args) == 4, 2, "usage: go run verify.go RECEIPT JWKS VKEY")
	text, err := os.ReadFile(os.Args[1])
	need(err == nil, 2, err)
	jwksText, err := os.ReadFile(os.Args[2])
	need(err == nil, 2, err)
	var jwks struct{ Keys []map[string]any }
	need(json.Unmarshal(jwksText, &jwks) == nil, 2, "the key set is not JSON")
	vkey := strings.SplitN(os.Args[3], "+", 3)
	need(len(vkey) == 3, 2, "the log key is not of the form origin+id+key")

	var receipt map[string]any
	must(0, json.Unmarshal(text, &receipt))
	need(receipt["v"] == 1.0 && countNames(text) == countNames(jcs(receipt)), 1, "another version, or a name is given twice")
	hashHex, signature := receipt["receipt_hash"].(string), receipt["signature"].(string)
	proof, hasProof := receipt["proof"]
	for _, name := range []string{"receipt_hash", "signature", "proof"} {
		delete(receipt, name)
	}
	payload, kid, host := jcs(receipt), receipt["kid"].(string), strings.SplitN(receipt["iss"].(string), "://", 2)[1]
	need(hex.EncodeToString(sha(payload)) == hashHex, 1, "receipt_hash is not the SHA-256 of the payload")

	var x string
	var from, until any
	for _, key := range jwks.Keys {
		if key["kid"] == kid && key["role"] == nil {
			x, from, until = key["x"].(string), key["leaf_from"], key["leaf_until"]
		}
	}
	need(x != "", 2, "the key set has no receipt key of this kid")
	thumbprint := b64u(sha(jcs(map[string]any{"crv": "Ed25519", "kty": "OKP", "x": x})))
	need(kid == "did:web:"+url.QueryEscape(host)+"#"+thumbprint, 1, "kid is not of iss and its key")
	signed := b64u(jcs(map[string]any{"alg": "EdDSA", "kid": kid, "typ": "verdict-receipt+jws"})) + "." + b64u(payload)
	isSigned := ed25519.Verify(unb64u(x), []byte(signed), unb64u(signature))
	need(isSigned && b64u(unb64u(signature)) == signature, 1, "the signature is not one of the key")

	need(hasProof, 2, "the receipt has no proof")
	parts := proofForm.FindStringSubmatch(proof.(string))
	need(parts != nil, 1, "the proof is not a tlog-proof with a signed checkpoint")
	need(parts[4] == vkey[0] && vkey[0] == host+"/log", 1, "the checkpoint is not of the log of iss")
	count := 0
	for _, line := range lineForm.FindAllStringSubmatch(parts[7], -1) {
		data := unb64(line[2])
		need(len(data) > 4, 1, "a signature of the checkpoint is too short")
		if line[1] == vkey[0] && hex.EncodeToString(data[:4]) == vkey[1] {
			isSigned := ed25519.Verify(unb64(vkey[2])[1:], []byte(parts[3]), data[4:])
			need(isSigned, 1, "the log key has not signed the checkpoint")
			count++
		}
	}
	need(count > 0, 1, "no signature of the checkpoint is of the log key")
	entry := map[string]any{"class": receipt["class"], "h": shaOfHex(hashHex), "kid": kid, "t": receipt["signed_at"], "v": 1}
	if ref, hasRef := receipt["ref"]; hasRef {
		entry["ref"] = shaOfHex(ref.(string))
	}
	index, size := must(strconv.Atoi(parts[1])), must(strconv.Atoi(parts[5]))
	need(index < size, 1, "the leaf index is not one of the tree")
	need(from == nil || from.(float64) <= float64(index), 1, "the leaf is before the range of the key")
	need(until == nil || float64(index) < until.(float64), 1, "the leaf is past the range of the key")
	for _, key := range jwks.Keys {
		from, until := key["leaf_from"], key["leaf_until"]
		isIn := (from == nil || from.(float64) < float64(size)) && (until == nil || float64(size) <= until.(float64))
		need(key["role"] != "log" || key["vkey"] != os.Args[3] || isIn, 1, "the tree is not one that the log key may sign")
	}
	root := rootOf(sha([]byte{0}, jcs(entry)), index, size, strings.Fields(parts[2]))
	need(base64.StdEncoding.EncodeToString(root) == parts[6], 1, "the path does not lead to the root that is signed")
	need(receipt["log_head"].(map[string]any)["size"].(float64) <= float64(index), 1, "log_head is later than the receipt's leaf")
	need(receipt["class"] != "dispute", 2, "docs/verify.py checks the rerun of a dispute, and this does not")
	need(false, 0, receipt["verdict"])
}
