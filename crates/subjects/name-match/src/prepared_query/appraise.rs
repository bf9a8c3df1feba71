//! Weights of the query's words, set once the similar words of the list are known.

use super::{PreparedQuery, QueryWord};
use crate::index::Index;
use crate::lexicon::Sense;
use crate::method;
use crate::parse::Family;
use crate::weight::{self, WordWeight};

impl PreparedQuery {
    /// Sets the weights of the words, once their rarity is known.
    pub(super) fn weigh(&mut self, index: &Index) {
        for token in &self.tokens {
            self.asked.push(QueryWord {
                token: *token,
                weights: [WordWeight { weight: 0.0, core: false }; 3],
                left: [0.0; 3],
                most: [method::INITIAL_WEIGHT; 3],
                again: false,
                first: self.reading.letters(token.forms[0]).first().copied().unwrap_or(0),
            });
        }
        self.find_rarity(index);
        for word in 0..self.asked.len() {
            self.weigh_word(word);
        }
        Family::ALL.into_iter().for_each(|family| self.promote(family));
        self.price_left();
        for (at, asked) in self.asked.iter().enumerate() {
            for ((family, free), weight) in Family::ALL.into_iter().zip(&mut self.free).zip(&asked.weights) {
                let initial = asked.token.initial && family == Family::Person;
                if asked.again || initial || weight.weight <= method::FREE {
                    *free |= 1 << at;
                }
            }
        }
        self.raise_bounds(index);
    }

    /// A word is as rare as the list has it; one that the list does not have, as the common word that it misspells.
    fn find_rarity(&mut self, index: &Index) {
        self.rarities.clear();
        self.rarities.resize(self.tokens.len(), (index.rarity(None), 0.0));
        for word in &self.linked {
            let entries = index.vocabulary.entries(*word);
            let (_, mut next) = self.heads[*word as usize];
            while let Some(link) = self.links.get(next as usize) {
                next = link.next;
                let own = link.similarity >= 1.0 && entries > 0;
                let misspelt = link.similarity >= method::MISSPELT && entries >= method::COMMON_ENTRIES;
                let Some(at) = self.units[usize::from(link.unit)].alone() else { continue };
                if let Some(best) = self.rarities.get_mut(at)
                    && (own || misspelt)
                    && link.similarity > best.1
                {
                    *best = (index.rarity(Some(*word)), link.similarity);
                }
            }
        }
    }

    /// A question of nothing but particles, titles and noise asks for these; one of legal forms alone, for nothing.
    fn promote(&mut self, family: Family) {
        let family_at = family as usize;
        if self.asked.iter().any(|asked| asked.weights[family_at].core) {
            return;
        }
        for (asked, (rarity, _)) in self.asked.iter_mut().zip(&self.rarities) {
            let legal = matches!(asked.token.senses.within(family), Some(Sense::Legal(_)));
            if !legal && !asked.token.initial {
                asked.weights[family_at] = weight::core(family, *rarity);
            }
        }
    }

    /// Lowers the cost of repeated words, and of leading words that may be a title or a name.
    fn price_left(&mut self) {
        let mut leads = true;
        for asked in &mut self.asked {
            let sense = asked.token.senses.within(Family::Person);
            leads &= matches!(sense, Some(Sense::Honorific | Sense::HonorificOrName));
            asked.left = asked.weights.map(|weight| weight.weight);
            if leads {
                let left = &mut asked.left[Family::Person as usize];
                *left = left.min(method::TITLE);
            }
            if asked.again {
                asked.left = asked.left.map(|left| left.min(method::FREE));
            }
        }
    }

    fn weigh_word(&mut self, at: usize) {
        let token = self.tokens[at];
        for (family, weight) in Family::ALL.into_iter().zip(&mut self.asked[at].weights) {
            *weight = weight::of(&token, family, self.rarities[at].0);
        }
        let letters = |at: usize| self.reading.letters(self.tokens[at].forms[0]);
        self.asked[at].again = (0..at).any(|before| letters(before) == letters(at));
    }

    /// The most that a pair with each word can count.
    fn raise_bounds(&mut self, index: &Index) {
        let linked = std::mem::take(&mut self.linked);
        for word in &linked {
            let (round, mut next) = self.heads[*word as usize];
            while let Some(link) = self.links.get(next as usize).filter(|_| round == self.round) {
                let unit = self.units[usize::from(link.unit)];
                let at = unit.mask.trailing_zeros() as usize;
                for (most, this) in self.asked[at].most.iter_mut().zip(index.most(*word)) {
                    *most = most.max(this);
                }
                next = link.next;
            }
        }
        self.linked = linked;
    }
}
