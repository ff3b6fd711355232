// Types of the API: surveys of memory and communication.

export interface LabSurveyLine {
  key: string;
  kind: "memory" | "comms";
  at: string;
  machine: string;
  device: string | null;
  ranks: number | null;
}

export interface MemorySurvey {
  kind: "memory";
  machine: string;
  facts: string;
  complete: boolean;
  measurements: { operation: string; form: string; level: string; threads: number; gb_per_s: number; of_ceiling: number; loss: string }[];
}

export interface CommsSurvey {
  kind: "comms";
  machine: string;
  facts: string;
  complete: boolean;
  lines: {
    copy_bytes_per_s: number;
    stream_bytes_per_s: number;
    ring_bytes_per_s: number;
    peak_bytes_per_s: number | null;
    peak_source: string;
  };
  absent: string[];
  collectives: {
    backend: string;
    collective: string;
    bytes: number;
    seconds: number;
    algorithm_gb_per_s: number;
    bus_gb_per_s: number;
    of_line: number | null;
  }[];
  gradients: {
    backend: string;
    compress: string;
    payload_bytes: number;
    bucket_bytes: number;
    wire_bytes: number;
    seconds: number;
    hidden?: number;
  }[];
}
