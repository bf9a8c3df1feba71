//! What every back end must do, whatever it stores in. The test binary of a back end's crate includes this folder by its
//! path, implements [`Harness`] and calls `run_on!`; the cases see nothing but `dyn Ledger`.
//!
//! A ledger stands for a process. On some back ends the leases of an ended process end when the store is opened again, and
//! on others they end by time alone, so a case ends a ledger by [`Harness::close`], [`Harness::reopen`] or
//! [`Harness::after_a_crash`], and never by dropping it alone.
//!
//! Where several ledgers may be open on a store, each case is run a second time on two that are used [in turn](in_turn), and
//! `run_on_replicas!` runs the [cases of two](replicas).

pub mod append;
pub mod backlog;
pub mod claims;
pub mod claims_model;
pub mod cosigned;
pub mod debts;
pub mod disputer;
pub mod disputes;
pub mod disputes_model;
pub mod evidence;
pub mod grants;
#[allow(dead_code, reason = "for back ends that several processes may open at once")]
pub mod in_turn;
pub mod keys;
pub mod leases;
pub mod limits;
pub mod log;
pub mod log_keys;
pub mod model;
pub mod money;
pub mod operation;
pub mod payer;
pub mod quota;
pub mod refunds;
#[allow(dead_code, reason = "for back ends that several processes may open at once")]
pub mod replicas;
pub mod restart;
pub mod retention;
pub mod settlement;
pub mod shared;
pub mod stamped;
pub mod support;
pub mod watches;

use std::sync::Arc;

use ledger::{Identity, Ledger, LedgerError, LogKeyRing, OperatorStore};

use support::ManualClock;

/// A store of some back end, under a clock that the cases set.
pub trait Harness: Sized + Send + Sync + 'static {
    /// True if several ledgers may be open on one store at once, as in several processes.
    const SEVERAL: bool;
    /// The number of random cases of each model.
    const MODEL_CASES: u32;

    /// A store that is not there yet.
    fn new() -> Self;

    /// Opens the store under these keys, or makes it, in a process that has these log keys.
    async fn open_with(
        &self,
        log_keys: LogKeyRing,
        identity: &Identity,
    ) -> Result<Arc<dyn Ledger>, LedgerError>;

    /// Opens the store under these keys, or makes it, with the log key of a seed.
    async fn open_as(&self, seed: u8, identity: &Identity) -> Result<Arc<dyn Ledger>, LedgerError> {
        self.open_with(support::log_key(seed).into(), identity).await
    }

    /// Ends the process of a ledger, which nobody uses any more, without a crash. Then time passes, by the clock, until the
    /// leases that it has left have ended, except where opening the store ends them.
    async fn close(&self, ledger: Arc<dyn Ledger>);

    /// The operator's way into the store, which has been opened before and may be open now.
    fn operator_store(&self) -> Box<dyn OperatorStore>;

    /// The clock of the ledgers that are opened.
    fn clock(&self) -> &Arc<ManualClock>;

    /// Lets time pass, by the clock, until the leases of all ledgers have ended, as though all had stood still meanwhile.
    async fn let_leases_end(&self);

    /// The store as the next process would find it had all ledgers died right now, under the same clock. Nothing is being
    /// written. As after [`close`](Self::close), no lease is left that opening the store would not end.
    async fn after_a_crash(&self) -> Self;

    /// How many blobs of evidence are stored. The store is closed.
    fn blobs(&self) -> u64;

    /// Removes the bytes of all evidence, as an operator may. The store is closed.
    fn strip_evidence(&self);

    /// Opens the store under the keys that all cases use unless they say otherwise.
    async fn open(&self) -> Arc<dyn Ledger> {
        self.open_as(support::SEED, &support::identity(support::SEED)).await.unwrap()
    }

    /// Closes a ledger and opens the store again.
    async fn reopen(&self, ledger: Arc<dyn Ledger>) -> Arc<dyn Ledger> {
        self.close(ledger).await;
        self.open().await
    }
}

/// Runs every case on a back end.
macro_rules! run_on {
    ($harness:ty) => {
        $crate::conformance::run_on! { $harness;
            append::an_appended_receipt_is_found_by_its_hash_with_its_request_and_evidence,
            append::an_unknown_hash_is_found_nowhere,
            append::short_receipts_are_found_together_in_the_order_of_their_hashes_and_no_long_one,
            append::each_append_is_proven_under_its_own_checkpoint_and_under_later_ones,
            append::concurrent_appends_land_in_few_transactions_and_all_verify,
            append::an_append_that_was_never_polled_changes_nothing,
            append::a_caller_that_goes_away_does_not_undo_its_append,
            append::a_record_too_large_is_refused_and_its_neighbours_are_not,
            append::a_receipt_is_logged_once_and_its_neighbours_are_logged_too,
            append::receipts_are_counted_by_class_and_by_payment,
            append::receipts_and_income_are_counted_by_day_and_class,
            append::counters_count_the_receipts_that_were_logged_and_nothing_else,
            append::a_memory_is_stored_with_its_receipt_alone_and_replaced_by_the_next,
            append::of_memories_in_one_transaction_the_last_stays,
            append::a_leaf_past_the_head_is_refused_as_such,
            append::wishes_for_trials_are_kept_and_given_newest_first,
            backlog::the_backlog_counts_what_is_unfinished_and_nothing_else,
            claims::a_claim_goes_from_its_proof_to_its_receipt_one_step_at_a_time,
            claims::what_was_judged_is_kept_until_the_receipt_has_it,
            claims::a_payment_identifier_is_unique_per_payer,
            claims::of_many_claims_of_one_proof_exactly_one_is_granted,
            claims::a_step_is_taken_in_its_state_and_by_its_owner_or_changes_nothing,
            claims::a_replaced_broadcast_is_the_one_that_is_kept,
            claims::a_freed_claim_leaves_its_proof_free_and_its_number_unused,
            claims::a_failed_claim_keeps_its_proof_and_gives_its_identifier_back,
            claims::past_the_bound_on_unfinished_claims_new_ones_are_refused_early,
            claims::a_claim_that_contradicts_itself_is_refused,
            claims::as_much_as_may_be_found_for_a_payment_can_be_delivered,
            cosigned::each_size_is_proven_a_prefix_of_each_later_one_and_to_hold_its_leaves,
            cosigned::the_newest_cosigned_checkpoint_never_goes_back_and_has_one_root,
            cosigned::the_newest_cosigned_checkpoint_is_kept_and_the_first_of_each_interval,
            stamped::the_first_token_over_a_tree_stays_and_one_size_has_one_root,
            stamped::all_tokens_of_90_days_are_kept_and_of_older_ones_the_first_of_each_day,
            stamped::the_last_logged_token_before_a_leaf_is_found_while_it_is_kept,
            keys::a_record_of_a_former_receipt_key_comes_back_with_its_reservation,
            keys::a_store_is_not_bound_to_a_former_receipt_key_again,
            keys::the_record_of_a_revoked_former_key_names_the_key_in_use,
            keys::no_leaf_after_a_change_is_of_the_former_key,
            keys::of_two_simultaneous_successors_one_is_taken,
            log_keys::both_log_keys_sign_from_the_record_of_the_second_until_the_end_of_the_first,
            log_keys::a_ledger_without_a_log_key_that_is_in_use_logs_nothing_and_the_others_go_on,
            log_keys::of_the_steps_of_a_log_key_each_is_taken_once_and_in_its_order,
            debts::each_outcome_leaves_owed_what_its_row_of_the_table_says,
            debts::a_refund_says_what_it_follows_from_and_in_which_token_it_is_owed,
            debts::a_refund_names_the_transfer_of_the_claim_whose_money_it_is,
            debts::a_fee_is_owed_once_however_often_its_receipt_is_overturned,
            debts::a_bounty_is_the_lesser_of_the_bond_and_the_reserve_of_its_token,
            debts::a_bounty_never_comes_out_of_a_reserve_of_another_settlement_kind,
            debts::the_reserve_is_spent_once_by_disputes_that_end_at_once,
            debts::a_bond_is_never_owed_as_a_fee,
            disputes::a_dispute_is_refused_while_another_has_settled_and_past_the_limit,
            disputes::a_dispute_that_was_freed_or_has_failed_does_not_count,
            disputes::of_many_bonds_that_settle_at_once_one_is_the_open_dispute_and_the_others_are_owed_back,
            disputes::of_many_local_bonds_at_once_one_settles_and_the_others_are_refused,
            disputes::a_bond_is_judged_once_and_not_before_it_has_settled,
            claims::a_payer_has_so_many_claims_unfinished_and_no_more_than_its_balance_covers,
            disputes::an_end_that_does_not_fit_its_claim_is_refused_and_harms_no_neighbour,
            disputes::a_dispute_is_ended_once_and_by_its_owner,
            disputes::the_disputes_of_a_receipt_are_listed_from_their_claims_on_oldest_first,
            disputes::a_receipt_is_superseded_by_its_own_agent_and_payer_however_many_others_pay,
            disputes::a_receipt_is_superseded_by_the_newest_that_was_delivered,
            evidence::equal_evidence_is_kept_once,
            evidence::without_its_evidence_a_receipt_its_proof_and_the_log_stand,
            grants::a_granted_call_is_used_up_by_its_receipt_and_given_back_without_one,
            grants::of_fifty_tasks_for_three_granted_calls_exactly_three_get_one,
            grants::a_call_of_many_units_uses_up_all_of_them_or_none,
            grants::used_granted_calls_count_after_a_restart_and_reserved_ones_do_not,
            grants::a_month_has_calls_of_its_own_whatever_the_days_do,
            grants::a_day_has_calls_of_its_own,
            grants::uses_of_long_ago_are_forgotten_and_those_of_this_month_are_not,
            grants::a_grant_made_or_revoked_beside_the_open_ledger_is_seen_at_once,
            grants::an_agents_grants_come_in_the_order_in_which_they_are_used,
            grants::a_grant_is_kept_as_it_was_made,
            grants::an_agent_has_a_bounded_number_of_grants_in_force,
            grants::grants_that_are_made_together_are_made_all_or_none,
            grants::what_cannot_be_done_to_grants_is_refused_by_name,
            leases::only_what_is_unfinished_and_abandoned_is_taken_over,
            leases::an_owner_that_was_too_slow_is_told_so_and_changes_nothing,
            leases::of_many_who_take_over_at_once_each_claim_goes_to_one,
            leases::after_any_end_every_claim_stands_where_it_stood_and_is_gone_on_with,
            limits::no_more_visits_are_admitted_than_the_limit_says,
            limits::visits_are_counted_together_or_not_at_all,
            log::a_new_log_is_empty_and_signed,
            log::checkpoints_grow_and_each_is_consistent_with_the_next,
            log::the_greatest_time_in_the_tree_never_goes_back,
            log::tiles_bundles_and_roots_are_those_of_the_naive_tree_past_65536_leaves,
            money::local_money_moves_with_the_settlement_or_not_at_all,
            money::an_account_is_opened_once_and_credited_as_often_as_one_likes,
            money::of_many_claims_on_the_last_money_as_many_settle_as_it_is_good_for,
            money::who_pays_themselves_has_what_they_had,
            money::revenue_is_what_was_settled_by_token_and_class_and_bonds_are_apart,
            money::what_an_agent_has_settled_is_known_by_the_day_and_without_bonds,
            money::a_fee_that_is_owed_back_was_never_earned,
            money::a_price_is_in_force_until_the_next_one_whatever_the_clock_does,
            operation::keys_and_prices_that_several_share_are_changed_by_an_operator_and_else_by_a_restart,
            operation::prices_that_are_not_those_of_a_store_that_several_share_are_not_noted,
            operation::a_process_is_seen_with_what_it_says_of_itself_until_it_is_closed,
            quota::a_reservation_is_used_up_by_its_receipt_and_given_back_without_one,
            quota::of_fifty_tasks_for_three_quotas_exactly_three_get_one,
            quota::used_quotas_count_after_a_restart_and_reserved_ones_do_not,
            quota::each_day_has_quotas_of_its_own_and_a_day_change_forgets_none_too_early,
            quota::a_clock_that_was_ahead_at_the_start_gives_no_call_twice,
            quota::a_refused_record_gives_its_reservation_back,
            refunds::a_refunds_step_is_taken_in_its_state_and_by_its_owner_or_changes_nothing,
            refunds::a_refund_is_kept_as_it_is_sent_tried_again_and_paid,
            refunds::refunds_are_taken_by_the_end_of_their_lease_oldest_first_and_only_when_nobody_works_on_them,
            refunds::no_payout_takes_a_day_over_its_cap,
            refunds::refunds_that_nobody_can_pay_keep_no_later_one_waiting,
            refunds::of_many_who_take_refunds_at_once_each_goes_to_one,
            refunds::a_refund_of_local_money_moves_it_once_and_is_found_by_its_hash,
            refunds::after_any_end_every_refund_stands_where_it_stood_and_is_gone_on_with,
            restart::a_store_that_is_opened_again_is_as_it_was_left,
            restart::after_a_crash_every_answered_receipt_is_there,
            restart::other_keys_are_refused_by_name,
            restart::a_receipt_key_may_be_replaced_by_one_that_says_that_it_is_retired,
            retention::a_request_and_its_evidence_are_deleted_once_the_time_of_its_class_is_over,
            retention::a_blob_stays_while_one_receipt_needs_it,
            retention::many_receipts_are_deleted_in_several_short_transactions,
            retention::no_more_bytes_are_deleted_in_one_transaction_than_it_has_time_for,
            retention::what_stands_behind_an_entry_that_cannot_be_read_is_kept,
            retention::what_a_dispute_needs_is_kept_until_it_is_decided_and_paid_out,
            retention::the_request_of_a_watch_is_kept_while_it_runs,
            retention::wishes_for_trials_are_forgotten_by_their_age,
            retention::memories_are_forgotten_by_the_age_of_their_last_receipt,
            retention::deliveries_are_forgotten_by_their_age_and_alerts_stay,
            retention::of_receipts_that_are_logged_meanwhile_none_loses_its_evidence,
            retention::an_erased_receipt_leaves_its_leaf_and_nothing_else,
            retention::a_receipt_is_erased_once_and_only_where_it_is,
            retention::what_a_dispute_or_a_watch_needs_is_not_erased,
            retention::a_watch_shows_no_change_whose_receipt_was_erased,
            retention::an_erasure_is_asked_for_once_and_again_where_it_was_refused,
            settlement::a_transfer_that_settled_an_authorization_is_no_proof_of_another_payment,
            settlement::a_transfer_that_was_claimed_settles_no_authorization,
            settlement::a_transfer_whose_claim_was_freed_can_settle_another,
            settlement::of_many_claims_that_one_transfer_would_settle_one_is_settled,
            settlement::a_claim_by_a_transaction_is_settled_by_its_own_transfer_without_a_broadcast,
            settlement::a_claim_by_a_transaction_is_found_by_it_and_its_payer_alone,
            settlement::a_claim_is_delivered_once_and_what_is_refused_harms_no_neighbour,
            settlement::authorizations_that_were_used_unseen_in_one_transaction_settle_each_its_own_claim,
            settlement::a_transaction_in_which_a_payer_has_paid_unseen_is_no_proof_of_another_payment,
            settlement::an_authorization_settles_unseen_in_no_transaction_that_its_payer_has_shown,
            shared::a_lease_is_one_owners_until_it_is_over_or_given_up,
            shared::of_many_who_want_a_lease_at_once_one_gets_it,
            shared::a_value_is_replaced_by_who_has_seen_the_last_one,
            shared::of_many_who_raise_a_value_each_counts_once,
            shared::a_note_is_kept_until_it_ends_and_by_its_kind,
            shared::a_file_is_read_as_it_was_put_and_changes_come_in_their_order,
            shared::a_file_of_another_version_or_without_its_chunks_is_refused,
            shared::chunks_that_no_file_names_are_deleted_and_no_others,
            shared::what_is_shared_is_as_it_was_left,
            watches::a_watch_begins_with_its_receipt_or_not_at_all,
            watches::an_agent_has_a_bounded_number_of_live_watches_but_what_was_paid_for_is_there,
            watches::a_watch_is_due_while_it_was_screened_on_another_edition,
            watches::classes_share_what_is_taken_and_what_cannot_be_screened_is_left_alone,
            watches::a_watch_is_due_by_the_time_of_its_last_screening_the_oldest_first,
            watches::a_change_is_logged_once_by_who_has_screened,
            watches::an_ended_watch_is_shown_and_does_nothing_more,
            watches::an_agent_is_sent_one_webhook_at_a_host_at_a_time_and_hosts_take_turns,
            watches::an_agent_whose_webhooks_are_slow_keeps_no_other_of_its_host_waiting,
            watches::an_agent_at_many_hosts_has_a_bounded_number_of_webhooks_sent_at_once,
            watches::a_webhook_that_is_gone_is_sent_nothing_more,
            watches::of_many_who_take_webhooks_at_once_each_host_goes_to_one,
            watches::watches_that_ended_long_ago_are_forgotten_and_their_receipts_stay,
            watches::after_any_end_watches_and_webhooks_stand_where_they_stood,
        }

        #[test]
        fn any_interleaving_of_operations_does_what_the_model_does() {
            $crate::conformance::model::any_interleaving_of_operations_does_what_the_model_does::<$harness>();
        }

        #[test]
        fn any_interleaving_of_claims_does_what_the_model_does() {
            $crate::conformance::claims_model::any_interleaving_of_claims_does_what_the_model_does::<$harness>();
        }

        #[test]
        fn any_interleaving_of_disputes_does_what_the_model_does() {
            $crate::conformance::disputes_model::any_interleaving_of_disputes_does_what_the_model_does::<$harness>();
        }
    };
    ($harness:ty; $($module:ident::$case:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                $crate::conformance::$module::$case::<$harness>().await;
            }
        )*
    };
}
pub(crate) use run_on;

/// Runs every case of two ledgers that are open at once, and all others on two that are used in turn.
#[allow(unused_macros, reason = "for back ends that several processes may open at once")]
macro_rules! run_on_replicas {
    ($harness:ty) => {
        mod in_turn {
            $crate::conformance::run_on!($crate::conformance::in_turn::InTurn<$harness>);
        }
        $crate::conformance::run_on! { $harness;
            replicas::two_that_open_an_empty_store_at_once_found_one_log,
            replicas::appends_that_race_make_one_tree_and_each_is_proven_under_its_own_checkpoint,
            replicas::what_is_read_while_the_other_appends_is_of_one_tree,
            replicas::a_receipt_is_logged_by_one_of_those_who_append_it_at_once,
            replicas::a_reader_finds_at_once_what_the_other_has_answered,
            replicas::disputes_and_watches_are_seen_at_once_by_the_other,
            replicas::of_claims_of_one_proof_that_race_one_is_granted_and_goes_on_anywhere,
            replicas::a_paused_owner_whose_lease_was_taken_is_refused_and_changes_nothing,
            replicas::of_those_who_take_over_on_both_each_claim_goes_to_one,
            replicas::no_more_hits_are_admitted_on_both_than_the_limit_says,
            replicas::the_last_place_goes_to_one_and_is_used_up_once,
            replicas::a_paused_process_cannot_use_up_a_place_that_was_given_to_another,
            replicas::the_places_of_a_replica_that_ends_are_given_back_and_no_others,
            replicas::watches_are_screened_on_the_lists_of_the_store_alone,
            replicas::a_replica_of_other_keys_is_refused_while_one_is_open,
            replicas::a_replica_that_opens_or_ends_harms_no_other,
        }
    };
}
#[allow(unused_imports, reason = "for back ends that several processes may open at once")]
pub(crate) use run_on_replicas;
