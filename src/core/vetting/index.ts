/**
 * Vets a skill: reads it by the rules `safety/`, and adds what trials have proved. The verdict follows
 * from the findings alone. Settings and comments of the skill do not count.
 */
export { addFindings, addProofs, createFinding, PROOF_RULES } from './add-proofs.ts'
export { findWorstVerdict, type VetVerdict } from './verdict.ts'
export { vetFolder, type VetReport } from './vet-folder.ts'
