//! Grants and their uses as rows, read and written.

use ipnet::IpNet;
use ledger::{Grant, GrantId, LedgerError, NewGrant, Period};
use receipt::time::Timestamp;
use tokio_postgres::Row;

use crate::columns::{Coded, Columns as _, row_id};
use crate::connection::{Connection, Result};
use crate::numbers;

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

/// Networks from a text with commas between.
fn networks(text: &str) -> Result<Vec<IpNet>> {
    let texts = text.split(',').filter(|text| !text.is_empty());
    let networks = texts.map(str::parse).collect::<std::result::Result<_, _>>();
    Ok(networks.map_err(|_| LedgerError::Corrupt(format!("a grant has the networks {text:?}")))?)
}

fn networks_text(networks: &[IpNet]) -> String {
    networks.iter().map(IpNet::to_string).collect::<Vec<_>>().join(",")
}

/// An agent's grants in force. Of several that end together, the one for a single class comes first: the others serve more.
pub(crate) async fn in_force(connection: Connection<'_>, agent: &str, at: Timestamp) -> Result<Vec<Grant>> {
    let select = select!(
        "",
        "WHERE agent = $1 AND until > $2 AND revoked_at IS NULL ORDER BY priority DESC, until, class IS NULL, id"
    );
    connection.rows(select, &[&agent, &at.as_millis()]).await?.iter().map(grant).collect()
}

/// The grants in force of several agents, each at a time, in the order of [`in_force`].
pub(crate) async fn in_force_of_all(
    connection: Connection<'_>,
    agents: &[(String, Timestamp)],
) -> Result<Vec<Vec<Grant>>> {
    let select = select!(
        ", asked.number",
        "JOIN unnest($1::TEXT[], $2::BIGINT[]) WITH ORDINALITY AS asked (of_agent, at, number)
            ON agent = asked.of_agent AND until > asked.at AND revoked_at IS NULL
         ORDER BY priority DESC, until, class IS NULL, id"
    );
    let (names, times): (Vec<&str>, Vec<i64>) =
        agents.iter().map(|(agent, at)| (agent.as_str(), at.as_millis())).unzip();
    let mut grants = vec![Vec::new(); agents.len()];
    for row in connection.rows(select, &[&names, &times]).await? {
        let number = usize::try_from(row.unsigned(12)?).unwrap_or(usize::MAX);
        if let Some(of_agent) = number.checked_sub(1).and_then(|index| grants.get_mut(index)) {
            of_agent.push(grant(&row)?);
        }
    }
    Ok(grants)
}

fn grant(row: &Row) -> Result<Grant> {
    let priority: i64 = row.try_get(8)?;
    let terms = NewGrant {
        name: row.try_get(1)?,
        agent: row.try_get(2)?,
        class: row.try_get(3)?,
        calls: row.small(4)?,
        period: row.code(5)?,
        until: row.millis(6)?,
        networks: networks(row.try_get(7)?)?,
        priority: priority != 0,
        request_id: row.try_get(9)?,
        at: row.millis(10)?,
    };
    Ok(Grant { id: GrantId(row.unsigned(0)?), terms, revoked_at: row.maybe_millis(11)? })
}

/// Makes grants, all or none: after a refusal the caller rolls back.
pub(crate) async fn make(connection: Connection<'_>, new: &[NewGrant]) -> Result<Vec<GrantId>> {
    let mut ids = Vec::with_capacity(new.len());
    for new in new {
        ids.push(insert(connection, new).await?);
    }
    Ok(ids)
}

async fn insert(connection: Connection<'_>, new: &NewGrant) -> Result<GrantId> {
    new.check()?;
    new.check_room(in_force(connection, &new.agent, new.at).await?.len())?;
    let id = numbers::next(connection, "grants").await?;
    let insert =
        "INSERT INTO grants (id, name, agent, class, calls, period, until, networks, priority, request_id,
            made_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    connection
        .run(
            insert,
            &[
                &id,
                &new.name,
                &new.agent,
                &new.class,
                &i64::from(new.calls),
                &new.period.code(),
                &new.until.as_millis(),
                &networks_text(&new.networks),
                &i64::from(new.priority),
                &new.request_id,
                &new.at.as_millis(),
            ],
        )
        .await?;
    let id = u64::try_from(id).map_err(|_| LedgerError::Corrupt(format!("grant {id} is negative")))?;
    Ok(GrantId(id))
}

/// Ends a grant. One that was ended before keeps its time.
pub(crate) async fn revoke(connection: Connection<'_>, id: GrantId, at: Timestamp) -> Result<()> {
    let revoke = "UPDATE grants SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1";
    match connection.run(revoke, &[&row_id(id.0), &at.as_millis()]).await? {
        0 => Err(LedgerError::NoSuchGrant(id).into()),
        _ => Ok(()),
    }
}

/// All grants with the calls that each has used in the period of a time, the newest first.
pub(crate) async fn all(connection: Connection<'_>, at: Timestamp) -> Result<Vec<(Grant, u32)>> {
    let select = select!(
        ", COALESCE((SELECT grant_uses.calls FROM grant_uses
            WHERE grant_id = grants.id AND start = CASE period WHEN 0 THEN $1::BIGINT ELSE $2::BIGINT END), 0)",
        "ORDER BY id DESC"
    );
    let [day, month] = [Period::Day, Period::Month].map(|period| i64::from(period.start(at)));
    let rows = connection.rows(select, &[&day, &month]).await?;
    rows.iter().map(|row| Ok((grant(row)?, row.small(12)?))).collect()
}
