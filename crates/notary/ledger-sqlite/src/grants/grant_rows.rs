//! Grants and their uses as rows, read and written.

use ipnet::IpNet;
use ledger::{Grant, GrantId, LedgerError, NewGrant, Period, QuotaCounter};
use receipt::time::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, Result, Row, TransactionBehavior, params};

use crate::columns::{CodeColumn, Coded, Millis};
use crate::failure::ConnectionError;

/// Selects the columns of a grant, in the order of [`grant`].
macro_rules! select {
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT id, name, agent, class, calls, period, until, networks, priority, request_id, made_at, revoked_at",
            $more,
            " FROM grants ",
            $rest
        )
    };
}

impl Coded for Period {
    const VALUES: &'static [Self] = &[Self::Day, Self::Month];

    fn code(self) -> i64 {
        match self {
            Self::Day => 0,
            Self::Month => 1,
        }
    }
}

/// Networks with commas between.
struct Networks(Vec<IpNet>);

impl FromSql for Networks {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let texts = value.as_str()?.split(',').filter(|text| !text.is_empty());
        let networks = texts.map(str::parse).collect::<std::result::Result<_, _>>();
        networks.map(Self).map_err(FromSqlError::other)
    }
}

fn networks_text(networks: &[IpNet]) -> String {
    networks.iter().map(IpNet::to_string).collect::<Vec<_>>().join(",")
}

/// An agent's grants in force. Of several that end together, the one for a single class comes first: the others serve more.
pub(crate) fn in_force(connection: &Connection, agent: &str, at: Timestamp) -> Result<Vec<Grant>> {
    let mut statement = connection.prepare_cached(select!(
        "",
        "WHERE agent = ? AND until > ? AND revoked_at IS NULL
         ORDER BY priority DESC, until, class IS NULL, id"
    ))?;
    statement.query_map(params![agent, at.as_millis()], grant)?.collect()
}

fn grant(row: &Row<'_>) -> Result<Grant> {
    let time = |column| row.get::<_, Millis>(column).map(|millis| millis.0);
    let terms = NewGrant {
        name: row.get(1)?,
        agent: row.get(2)?,
        class: row.get(3)?,
        calls: row.get(4)?,
        period: row.get::<_, CodeColumn<_>>(5)?.0,
        until: time(6)?,
        networks: row.get::<_, Networks>(7)?.0,
        priority: row.get(8)?,
        request_id: row.get(9)?,
        at: time(10)?,
    };
    let revoked_at: Option<Millis> = row.get(11)?;
    Ok(Grant { id: GrantId(row.get(0)?), terms, revoked_at: revoked_at.map(|millis| millis.0) })
}

/// Counts calls of a grant in the period that starts on this day.
pub(crate) fn insert_use(connection: &Connection, grant: GrantId, start: u32, units: u64) -> Result<()> {
    let insert = "INSERT INTO grant_uses (start, grant_id, calls) VALUES (?, ?, ?)
        ON CONFLICT (start, grant_id) DO UPDATE SET calls = calls + excluded.calls";
    connection.prepare_cached(insert)?.execute(params![start, grant.0, units])?;
    Ok(())
}

/// Forgets uses of periods that started before a day, and returns their number, which is `most` at most.
pub(crate) fn forget_uses(connection: &Connection, before: u32, most: u32) -> Result<usize> {
    let delete = "DELETE FROM grant_uses WHERE (start, grant_id) IN
        (SELECT start, grant_id FROM grant_uses WHERE start < ? ORDER BY start, grant_id LIMIT ?)";
    connection.prepare_cached(delete)?.execute([before, most])
}

/// Restores the calls that were used up in the periods that started on a day or later.
pub(crate) fn restore(connection: &Connection, quotas: &QuotaCounter, since: u32) -> Result<()> {
    let mut statement = connection.prepare(
        "SELECT grant_id, period, start, grant_uses.calls FROM grant_uses JOIN grants ON grants.id = grant_id
         WHERE start >= ? ORDER BY start",
    )?;
    let mut rows = statement.query([since])?;
    while let Some(row) = rows.next()? {
        let CodeColumn(period) = row.get(1)?;
        quotas.restore_granted(GrantId(row.get(0)?), period, row.get(2)?, row.get(3)?);
    }
    Ok(())
}

/// Makes grants, all or none.
pub(crate) fn make(
    connection: &mut Connection,
    new: &[NewGrant],
) -> std::result::Result<Vec<GrantId>, ConnectionError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ids = new.iter().map(|new| insert(&transaction, new)).collect::<std::result::Result<_, _>>()?;
    transaction.commit()?;
    Ok(ids)
}

fn insert(connection: &Connection, new: &NewGrant) -> std::result::Result<GrantId, ConnectionError> {
    new.check()?;
    new.check_room(in_force(connection, &new.agent, new.at)?.len())?;
    let id = connection.query_row(
        "INSERT INTO grants (name, agent, class, calls, period, until, networks, priority, request_id, made_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        params![
            new.name,
            new.agent,
            new.class,
            new.calls,
            CodeColumn(new.period),
            new.until.as_millis(),
            networks_text(&new.networks),
            new.priority,
            new.request_id,
            new.at.as_millis()
        ],
        |row| row.get(0),
    )?;
    Ok(GrantId(id))
}

/// Ends a grant. One that was ended before keeps its time.
pub(crate) fn revoke(
    connection: &Connection,
    id: GrantId,
    at: Timestamp,
) -> std::result::Result<(), ConnectionError> {
    let row = i64::try_from(id.0).map_err(|_| LedgerError::NoSuchGrant(id))?;
    let revoke = "UPDATE grants SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?";
    match connection.execute(revoke, params![at.as_millis(), row])? {
        0 => Err(LedgerError::NoSuchGrant(id).into()),
        _ => Ok(()),
    }
}

/// All grants with the calls that each has used in the period of a time, the newest first.
pub(crate) fn all(connection: &Connection, at: Timestamp) -> Result<Vec<(Grant, u32)>> {
    let mut statement = connection.prepare_cached(select!(
        ", COALESCE((SELECT grant_uses.calls FROM grant_uses
            WHERE grant_id = grants.id AND start = CASE period WHEN 0 THEN ? ELSE ? END), 0)",
        "ORDER BY id DESC"
    ))?;
    let starts = params![Period::Day.start(at), Period::Month.start(at)];
    statement.query_map(starts, |row| Ok((grant(row)?, row.get(12)?)))?.collect()
}
