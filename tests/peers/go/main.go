// Calls a notary with the client that oapi-codegen has made: client BASE_URL. See ../clients.sh.
//
// A free call, the 402 after the free calls, and a screening come back as the types that the document names.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"client/notary"
)

func main() {
	base := os.Args[1]
	client, err := notary.NewClientWithResponses(base)
	if err != nil {
		log.Fatal(err)
	}
	question := notary.ClaimVerdictRequest{Agent: "go-client", Claim: "This notary is for trying out."}
	health := notary.UrlJson{Type: notary.UrlJsonTypeUrlJson, Url: base + "/health", Path: "profile", Expect: "dev"}
	if err := question.Resolver.FromUrlJson(health); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		answer, err := client.ClaimVerdictWithResponse(context.Background(), nil, question)
		if err != nil {
			log.Fatal(err)
		}
		if answer.JSON200 == nil || answer.JSON200.Verdict != notary.ClaimVerdictCONFIRMED {
			log.Fatalf("no confirmed claim: %s", answer.Body)
		}
	}
	terms, err := client.ClaimVerdictWithResponse(context.Background(), nil, question)
	if err != nil {
		log.Fatal(err)
	}
	if terms.ApplicationproblemJSON402 == nil || terms.ApplicationproblemJSON402.Accepts[0].Amount != "0.05" {
		log.Fatalf("no terms: %s", terms.Body)
	}
	name := notary.ScreenEntityRequest{Agent: "go-client", Entity: "Viktor Anatolyevich Bout"}
	screened, err := client.ScreenEntityWithResponse(context.Background(), nil, name)
	if err != nil {
		log.Fatal(err)
	}
	if screened.JSON200 == nil || screened.JSON200.Matches[0].Verdict != notary.NameVerdictMATCH {
		log.Fatalf("no match: %s", screened.Body)
	}
	fmt.Println("oapi-codegen: a receipt, a 402 and a screening as the document types them")
}
