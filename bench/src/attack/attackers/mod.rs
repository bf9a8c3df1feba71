//! The attacks, one file a kind. Each is bounded: by the time that it lasts, by the pace of each address, and where it
//! holds something, by how much it holds.

mod bodies;
mod connections;
mod disk;
mod disputes;
mod grading;
mod keys;
mod looks;
mod memory;
mod names;
mod proofs;
mod queries;
mod unfinished;

use std::sync::Arc;

use tokio::time::Instant;

use super::crew::Crew;
use super::kind::Attack;
use super::scene::Scene;

/// The state that an attack prepares before it begins.
#[derive(Default)]
pub struct Prepared {
    disputes: Option<disputes::Plan>,
    proofs: Vec<super::client::Request>,
}

/// Makes ready what an attack needs, before anything is measured.
pub async fn prepare(attack: Attack, scene: &Arc<Scene>) -> anyhow::Result<Prepared> {
    let mut prepared = Prepared::default();
    match attack {
        Attack::Disk => disk::prepare(scene).await?,
        Attack::Disputes => prepared.disputes = Some(disputes::prepare(scene).await?),
        Attack::Proofs => prepared.proofs = proofs::prepare(scene),
        Attack::Keys => keys::fill(scene).await?,
        Attack::Everything => {
            prepared.disputes = Some(disputes::prepare(scene).await?);
            prepared.proofs = proofs::prepare(scene);
        }
        _ => {}
    }
    Ok(prepared)
}

/// Attacks until a time.
pub async fn make(
    attack: Attack,
    scene: &Arc<Scene>,
    mut prepared: Prepared,
    until: Instant,
) -> anyhow::Result<()> {
    let mut crew = Crew::new(scene, until);
    enlist(attack, scene, &mut prepared, &mut crew);
    crew.works(|until| tokio::time::sleep_until(until));
    crew.finish().await
}

fn enlist(attack: Attack, scene: &Arc<Scene>, prepared: &mut Prepared, crew: &mut Crew) {
    match attack {
        Attack::Nobody => {}
        Attack::Queries => queries::enlist(crew),
        Attack::Bodies => bodies::enlist(crew),
        Attack::Connections16 => connections::enlist(scene, crew, 16, 256),
        Attack::Connections64 => connections::enlist(scene, crew, 64, 256),
        Attack::Connections10000 => connections::enlist(scene, crew, 1000, 10),
        Attack::Unfinished => unfinished::enlist(scene, crew),
        Attack::Disk => disk::enlist(crew),
        Attack::Grading => grading::enlist(crew),
        Attack::Memory => memory::enlist(scene, crew),
        Attack::Disputes => disputes::enlist(scene, prepared.disputes.take(), crew),
        Attack::Proofs => proofs::enlist(std::mem::take(&mut prepared.proofs), crew),
        Attack::Names => names::enlist(crew),
        Attack::Keys => keys::enlist(crew),
        Attack::Looks => looks::enlist(scene, crew),
        Attack::Everything => {
            for attack in [
                Attack::Queries,
                Attack::Bodies,
                Attack::Connections64,
                Attack::Unfinished,
                Attack::Disk,
                Attack::Grading,
                Attack::Memory,
                Attack::Disputes,
                Attack::Proofs,
                Attack::Names,
                Attack::Keys,
                Attack::Looks,
            ] {
                enlist(attack, scene, prepared, crew);
            }
        }
    }
}

/// Tells what can only be told afterwards.
pub fn look_back(attack: Attack, scene: &Scene) -> anyhow::Result<()> {
    match attack {
        Attack::Disputes | Attack::Everything => disputes::look_back(scene),
        Attack::Names => names::look_back(scene),
        Attack::Disk => disk::look_back(scene)?,
        _ => {}
    }
    Ok(())
}
