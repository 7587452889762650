/** A message that the user wrote while the model was at work. */
export interface QueuedMessage {
  text: string;
  /** True if the message is sent after the calls that run now; else when the model is done. */
  steers: boolean;
  /** It is being made ready for the model, so it can't be taken back. */
  isGoing?: boolean;
}

/** The facts of the status line. */
export interface Status {
  /** Empty until it is known. */
  model: string;
  mode: string;
  branch: string;
  /** The confinement of commands, in a word. */
  sandbox: string;
  /** Commands in the background. */
  jobs: number;
  /** Tokens that the model takes at once. */
  contextWindow: number;
  /** Tokens of the conversation at the last request. */
  contextTokens: number;
  /** Tokens in and out since the session began. */
  tokens: number;
  /** The cost in dollars, as far as prices are known. */
  cost: number;
  prices: Prices | null;
}

/** Dollars for a million tokens. */
export interface Prices {
  input: number;
  output: number;
  cached?: number | undefined;
}

export interface Working {
  queue: readonly QueuedMessage[];
  status: Status;
}

/** The message that Up takes back. */
export function takenBack({ queue }: Working): QueuedMessage | undefined {
  return queue.findLast(({ isGoing }) => !isGoing);
}

export const notWorking: Working = {
  queue: [],
  status: {
    model: '',
    mode: '',
    branch: '',
    sandbox: '',
    jobs: 0,
    contextWindow: 0,
    contextTokens: 0,
    tokens: 0,
    cost: 0,
    prices: null,
  },
};
