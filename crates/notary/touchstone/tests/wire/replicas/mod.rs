//! Several replicas over one PostgreSQL.

mod answers;
mod operated;
