/** Silence after which a node is lost: several heartbeats, and a pause of a loaded machine. */
export const LOST_AFTER_MS: number = 5000

/** Time without a receiver at the engine after which a worker is lost. A node that reconnects is faster. */
export const GONE_AFTER_MS: number = 750

/** Time that calls wait for an engine that does not answer: it restarts, or elects another leader. */
export const ENGINE_PATIENCE_MS: number = 30_000
