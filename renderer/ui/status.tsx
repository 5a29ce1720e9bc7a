// Every state that can be shown: an icon, a word and a tone, always together.
import type { Outcome, RolloutRow, RolloutStatus, VerdictState } from '../../main/contract/schema/rollout.ts';
import type { RunStatus } from '../../main/contract/schema/run.ts';
import type { ConfigIssue, GateName, GateResult } from '../../main/contract/schema/task.ts';
import {
  BanIcon,
  BuildIcon,
  BusyIcon,
  FailIcon,
  FlagIcon,
  HourglassIcon,
  type Icon,
  InfoIcon,
  KilledIcon,
  PassIcon,
  PausedIcon,
  RepeatIcon,
  SlashIcon,
  TimerIcon,
  UnknownIcon,
  VerdictIcon,
  WaitingIcon,
  WarnIcon,
} from './icons.ts';
import './status.css';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm' | 'odd';

export interface Sign {
  icon: Icon;
  word: string;
  tone: Tone;
  /** One sentence more, for a tooltip. */
  meaning: string;
}

export const runSigns: Record<RunStatus, Sign> = {
  running: { icon: BusyIcon, word: 'Running', tone: 'busy', meaning: 'Rollouts are being played.' },
  paused: { icon: PausedIcon, word: 'Paused', tone: 'warn', meaning: 'No new rollout starts until it is resumed.' },
  finished: { icon: PassIcon, word: 'Finished', tone: 'good', meaning: 'Every rollout has ended.' },
  cancelled: { icon: BanIcon, word: 'Cancelled', tone: 'calm', meaning: 'Stopped by hand. Resume plays what is left.' },
  stopped: { icon: WarnIcon, word: 'Stopped', tone: 'bad', meaning: 'The lab stopped it: too many rollouts were excluded.' },
  interrupted: {
    icon: SlashIcon,
    word: 'Interrupted',
    tone: 'warn',
    meaning: 'The lab was closed while it ran. Resume plays what is left.',
  },
};

const statusSigns: Record<RolloutStatus, Sign> = {
  queued: { icon: WaitingIcon, word: 'Queued', tone: 'calm', meaning: 'Waits for its turn.' },
  starting: { icon: BuildIcon, word: 'Starting', tone: 'busy', meaning: 'Its container is being made.' },
  running: { icon: BusyIcon, word: 'Running', tone: 'busy', meaning: 'The agent is at work.' },
  verifying: { icon: VerdictIcon, word: 'Verifying', tone: 'busy', meaning: 'The tests are running.' },
  finished: { icon: PassIcon, word: 'Finished', tone: 'calm', meaning: 'It has ended and was graded.' },
  error: { icon: WarnIcon, word: 'Error', tone: 'warn', meaning: 'The lab or the task failed, not the agent. Excluded from the score.' },
  cancelled: { icon: BanIcon, word: 'Cancelled', tone: 'calm', meaning: 'Stopped by hand. Excluded from the score.' },
  interrupted: { icon: SlashIcon, word: 'Interrupted', tone: 'warn', meaning: 'The lab was closed while it was played.' },
};

export const outcomeSigns: Record<Outcome, Sign> = {
  solved: { icon: PassIcon, word: 'Solved', tone: 'good', meaning: 'All tests passed.' },
  unsolved: { icon: FailIcon, word: 'Unsolved', tone: 'bad', meaning: 'The agent said it was done; the tests say otherwise.' },
  gave_up: { icon: FlagIcon, word: 'Gave up', tone: 'bad', meaning: 'The agent stopped without claiming success.' },
  turn_limit: { icon: RepeatIcon, word: 'Turn limit', tone: 'bad', meaning: 'It used all its turns.' },
  token_limit: { icon: HourglassIcon, word: 'Token limit', tone: 'bad', meaning: 'It used all its tokens.' },
  time_limit: { icon: TimerIcon, word: 'Time limit', tone: 'bad', meaning: 'It used all its time.' },
  format_limit: { icon: UnknownIcon, word: 'Format limit', tone: 'bad', meaning: 'Too many answers in a row could not be parsed.' },
  context_full: { icon: HourglassIcon, word: 'Context full', tone: 'bad', meaning: "The conversation no longer fits the model's context." },
  killed_sandbox: { icon: KilledIcon, word: 'Killed sandbox', tone: 'bad', meaning: 'The agent broke its own container or shell.' },
  verify_timeout: {
    icon: TimerIcon,
    word: 'Verify timeout',
    tone: 'bad',
    meaning: 'The tests did not end in time on what the agent left.',
  },
};

export const verdictSigns: Record<VerdictState, Sign> = {
  tests_ran: { icon: VerdictIcon, word: 'Tests ran', tone: 'calm', meaning: 'The reward is evidence about the agent.' },
  verifier_failed: { icon: WarnIcon, word: 'Verifier failed', tone: 'warn', meaning: "The verifier's own set-up broke. Excluded." },
  no_verdict: { icon: UnknownIcon, word: 'No verdict', tone: 'warn', meaning: 'Nothing shows that tests ran. Excluded.' },
  infra_error: { icon: WarnIcon, word: 'Infrastructure', tone: 'warn', meaning: 'Docker, the model or the machine failed. Excluded.' },
  cancelled: { icon: BanIcon, word: 'Cancelled', tone: 'calm', meaning: 'Stopped before a verdict. Excluded.' },
};

export const gateSigns: Record<GateResult['state'], Sign> = {
  passed: { icon: PassIcon, word: 'Passed', tone: 'good', meaning: 'The gate holds.' },
  failed: { icon: FailIcon, word: 'Failed', tone: 'bad', meaning: 'The gate does not hold.' },
  missing: { icon: UnknownIcon, word: 'Missing', tone: 'warn', meaning: 'The task lacks what this gate needs.' },
  skipped: { icon: SlashIcon, word: 'Skipped', tone: 'calm', meaning: 'Not run.' },
};

export const gateNames: Record<GateName, string> = {
  build: 'Image builds',
  initial: 'Initial state holds',
  nop: 'Doing nothing scores 0',
  oracle: 'Oracle scores 1',
  fresh: 'Fresh-box grading agrees',
  flaky: 'Repeats agree',
  band: 'Pass rate in band',
};

export const issueSigns: Record<ConfigIssue['level'], Sign> = {
  note: { icon: InfoIcon, word: 'Note', tone: 'calm', meaning: 'Worth knowing.' },
  warning: { icon: WarnIcon, word: 'Warning', tone: 'warn', meaning: 'Something the lab cannot honour as written.' },
  error: { icon: FailIcon, word: 'Error', tone: 'bad', meaning: 'Must be corrected.' },
};

/** What a rollout is now, in one sign: how it ended if it has, else its status. */
export function rolloutSign(rollout: Pick<RolloutRow, 'status' | 'outcome' | 'verdictState'>): Sign {
  if (rollout.status !== 'finished' || !rollout.outcome) return statusSigns[rollout.status];
  const { verdictState } = rollout;
  if (verdictState && verdictState !== 'tests_ran') return verdictSigns[verdictState];
  return outcomeSigns[rollout.outcome];
}

/** An icon with its word. `soft` gives it a tinted ground, for headers. */
export function StatusSign({ sign, soft = false, compact = false }: { sign: Sign; soft?: boolean; compact?: boolean }) {
  const Icon = sign.icon;
  return (
    <span className={`sign ${soft ? 'sign-soft' : ''}`} data-tone={sign.tone} title={sign.meaning}>
      <Icon size={14} className={sign.icon === BusyIcon ? 'spin' : undefined} aria-hidden />
      <span className={compact ? 'unseen' : 'cut'}>{sign.word}</span>
    </span>
  );
}
